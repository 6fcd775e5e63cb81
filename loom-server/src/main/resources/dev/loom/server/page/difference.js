// What differs between the selection and the rest; and the values of fields with their counts.

import {html, useState} from './vendor/htm-preact.js';
import {count, exact, quantity, time} from './format.js';
import {Outcome, Table, useAnswer} from './parts.js';
import {change, equalTo, isNamed, selected, selection, scope, valueConditions} from './state.js';

const FINDINGS = 20;
const VALUES = 10;

/** The request that compares the selection with all other records of the picture: of the range, and of the conditions. */
export function differenceRequest(state) {
  const body = {...scope(state), limit: FINDINGS};
  const box = selection(state);
  if (!box) return null;
  const conditions = [...state.where, ...valueConditions(state)];
  if (conditions.length) body.where = conditions;
  if (state.where.length) body.against = state.where;
  body['selected-from'] = time(box.from);
  body['selected-to'] = time(box.to);
  return body;
}

function share(part, whole) {
  return whole ? `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %` : '–';
}

function what(finding) {
  if (finding.where) return finding.where;
  return (finding.all ?? [finding]).map(part => `${part.field}: ${part.value === undefined
    ? `${exact(part.low)} to ${exact(part.high)}` : part.value === null ? '(none)' : exact(part.value)}`).join(' and ');
}

/** Findings, what tells most first; each is a click away from being a condition. */
export function Difference({state, round}) {
  const body = differenceRequest(state);
  const answer = useAnswer(body && 'diff', body, round);
  if (!body) return html`<p class="hint">Select something in the heatmap: this tells what distinguishes it from the rest.</p>`;
  const compared = answer.end?.compared;
  return html`<div>
    ${compared && html`<p class="hint">${count(compared.selected)} selected records against ${count(compared.against)} others</p>`}
    <${Table} label="differences" rows=${answer.rows} busy=${answer.loading}
      onChoose=${finding => finding.where && change({where: [...state.where, finding.where]})} columns=${[
        {label: 'what', cell: what},
        {label: 'of the selected', number: true, cell: finding => html`<${Bar} part=${finding.selected} whole=${finding.selected_of} />`},
        {label: 'of the others', number: true, cell: finding => html`<${Bar} part=${finding.against} whole=${finding.against_of} />`},
        {label: 'risk ratio', number: true, cell: finding => (finding.risk_ratio === undefined ? '–' : Number(finding.risk_ratio).toPrecision(3)),
          title: finding => (finding.interval ? `95 %: ${finding.interval.map(each => Number(each).toPrecision(3)).join(' to ')}` : '')},
        {label: '', cell: finding => finding.where && html`<button type="button" title="all but these"
          onClick=${() => change({where: [...state.where, `not (${finding.where})`]})}>≠</button>`},
      ]} />
    ${answer.end && !answer.rows.length && html`<p class="empty">Nothing differs more than chance explains.</p>`}
    <${Outcome} answer=${answer} name="diff" body=${body} />
  </div>`;
}

function Bar({part, whole}) {
  return html`<span class="share" title=${`${count(part)} of ${count(whole)}`}><meter min="0" max="1" value=${whole ? part / whole : 0} /> ${share(part, whole)}</span>`;
}

/** The values of some fields, with counts; a click includes or excludes one. */
export function Facets({state, names, types, round}) {
  const [open, setOpen] = useState([]);
  const toggle = name => setOpen(open.includes(name) ? open.filter(each => each !== name) : [...open, name]);
  return html`<div class="facets">${names.map(name => html`<section key=${name} aria-label=${`values of ${name}`}>
    <button type="button" class="facet" aria-expanded=${open.includes(name)} onClick=${() => toggle(name)}>${name}</button>
    ${open.includes(name) && html`<${Facet} state=${state} name=${name} type=${types[name]} round=${round} />`}
  </section>`)}</div>`;
}

function Facet({state, name, type, round}) {
  const body = {...selected(state), field: name, limit: VALUES, rest: 'other'};
  const answer = useAnswer('values', body, round);
  const total = answer.rows.reduce((sum, row) => sum + row.count, 0);
  return html`<div><ul>${answer.rows.map(row => html`<li key=${exact(row.value)}>
      ${row.other ? html`<span class="value">(other)</span>` : html`<span class="value" title=${exact(row.value)}>${
        row.value === null ? '(none)' : typeof row.value === 'number' ? `${row.value} ${unitText(name, row.value)}` : exact(row.value)}</span>
        ${isNamed(row.value, type) && html`<button type="button" title="only these" aria-label=${`only ${name} ${exact(row.value)}`}
          onClick=${() => change({where: [...state.where, equalTo(name, row.value)]})}>=</button>
        <button type="button" title="all but these" aria-label=${`not ${name} ${exact(row.value)}`}
          onClick=${() => change({where: [...state.where, `not ${equalTo(name, row.value)}`]})}>≠</button>`}`}
      <span class="share">${count(row.count)} <meter min="0" max="1" value=${total ? row.count / total : 0} /></span>
    </li>`)}</ul><${Outcome} answer=${answer} name="values" body=${body} /></div>`;
}

function unitText(name, value) {
  const text = quantity(name, undefined, value);
  return /[^\d.kMGT–-]/.test(text) ? `(${text})` : '';
}
