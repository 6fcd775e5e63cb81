// The page as a whole: views by address, the token, the theme, keys.

import {html, render, useEffect, useLayoutEffect, useMemo, useRef, useState} from './vendor/htm-preact.js';
import {onTokenNeeded, setToken, stringify} from './api.js';
import {Explore, titleOf} from './explore.js';
import {clear, zoom} from './heatmap.js';
import {Overview} from './overview.js';
import {useAnswer} from './parts.js';
import {change, read, scope, useAddress} from './state.js';
import {Trace, Traces} from './trace.js';

const THEME = 'loom.theme';
const KEYS = [['u', 'undo'], ['z', 'show only the selection'], ['Esc', 'clear the selection'], ['h', 'the heatmap'], ['1 … 7', 'a tab below the heatmap'],
  ['r', 'ask again'], ['/', 'add a condition'], ['o', 'overview'], ['t', 'dark or light'], ['?', 'these keys'],
  ['arrows, Shift, Enter', 'move, extend and select in the heatmap; walk and choose in tables']];

function initialTheme() {
  return localStorage.getItem(THEME) ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
}

function Page() {
  const state = useAddress();
  const [theme, setTheme] = useState(initialTheme);
  const [locked, setLocked] = useState(false);
  const [help, setHelp] = useState(false);
  const [round, setRound] = useState(0);
  const asked = `${round} ${stringify({...scope(state), field: state.field})}`; // with each picture, as records may have arrived
  const sources = useAnswer('sources', {}, asked);
  const indexes = useAnswer('indexes', {}, round);
  const listed = useRef([]); // not a part while all are asked for again
  if (sources.end || !listed.current.length) listed.current = sources.rows;
  const known = useMemo(() => listed.current.map(each => named(each, indexes.rows)), [listed.current, indexes.rows]);
  useEffect(() => onTokenNeeded(() => setLocked(true)), []);
  useLayoutEffect(() => { // before anything is drawn
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME, theme);
  }, [theme]);
  useEffect(() => {
    document.title = `Loom: ${titleOf(state)}`;
  }, [state]);
  const flip = () => setTheme(old => (old === 'dark' ? 'light' : 'dark'));
  useEffect(() => {
    const press = event => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea')) return;
      const tabs = document.querySelectorAll('.tabs [role=tab]');
      const actions = {
        u: () => history.back(), z: () => zoom(read()), Escape: () => (help ? setHelp(false) : clear()), r: () => setRound(old => old + 1),
        o: () => change({view: '', record: ''}), t: flip, '?': () => setHelp(old => !old),
        h: () => document.querySelector('.surface canvas')?.focus(), '/': () => document.getElementById('where')?.focus(),
      };
      const action = actions[event.key] ?? (tabs[event.key - 1] && (() => tabs[event.key - 1].click()));
      if (action) {
        event.preventDefault();
        action();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [help]);
  const unlock = token => {
    setToken(token);
    setLocked(false);
    setRound(old => old + 1);
  };
  const common = {state, sources: known, theme, round, asked};
  const view = {explore: () => html`<${Explore} key=${state.source} ...${common} />`, trace: () => html`<${Trace} key=${state.trace} ...${common} />`,
    traces: () => html`<${Traces} ...${common} />`}[state.view];
  return html`
    <header>
      <a class="home" href="#"><img src="page/icon.svg" alt="" width="20" height="20" /> Loom</a>
      <nav><a href="#view=traces">traces</a></nav>
      <span class="space" />
      <button type="button" id="again" onClick=${() => setRound(round + 1)}>ask again <kbd>r</kbd></button>
      <button type="button" id="theme" onClick=${flip}>${theme === 'dark' ? 'light' : 'dark'} <kbd>t</kbd></button>
      <button type="button" id="help" aria-expanded=${help} onClick=${() => setHelp(!help)}>keys <kbd>?</kbd></button>
    </header>
    ${help && html`<section class="keys" aria-label="keys"><dl>${KEYS.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl></section>`}
    ${locked ? html`<${Lock} onToken=${unlock} />` : view ? view() : html`<${Overview} answer=${sources} ...${common} />`}`;
}

/** A source with its open indexes and the name by which it is asked for: several closed ones and an open one may share theirs. */
function named(source, indexes) {
  const own = {...source, title: source.name, indexes: indexes.filter(each => each.source_id === source.id && !each.closed)};
  return source.closed ? {...own, name: `#${source.id}`, title: `${source.name} (closed)`} : own;
}

/** Asks for the token, which is kept until the tab is closed. */
function Lock({onToken}) {
  const input = useRef(null);
  useEffect(() => input.current.focus(), []);
  const submit = event => {
    event.preventDefault();
    onToken(input.current.value.trim());
  };
  return html`<main><form class="lock" onSubmit=${submit}><h2>Token</h2>
    <p>This store is read by those who have its token (<code>server.auth.token_file</code>). It is kept until this tab is closed.</p>
    <input id="token" type="password" autocomplete="off" aria-label="token" ref=${input}
      required pattern="\\s*[!-~]+\\s*" title="a token has visible ASCII characters alone" /> <button>open</button></form></main>`;
}

render(html`<${Page} />`, document.getElementById('page'));
