package dev.loom.otlp.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.loom.format.Formats;
import dev.loom.query.where.Where;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions as people write them, over what OpenTelemetry's records hold. */
class OtlpExpressionsTest {
    private static final Span SPAN = Span.newBuilder()
            .setName("GET /cart")
            .setKind(Span.SpanKind.SPAN_KIND_SERVER)
            .setStatus(Status.newBuilder().setCode(Status.StatusCode.STATUS_CODE_ERROR))
            .setTraceId(ByteString.fromHex("0123456789abcdef0123456789abcdef"))
            .setSpanId(ByteString.fromHex("fedcba9876543210"))
            .addAttributes(pair("http.route", text("/cart")))
            .addAttributes(pair("tags", array(text("red"), text("blue"), integer(7))))
            .addAttributes(pair("user", map(pair("id", integer(42)), pair("name", text("Ann \"A\"")))))
            .addEvents(Span.Event.newBuilder().setName("retry").addAttributes(pair("reason", text("timeout\nagain"))))
            .addEvents(Span.Event.newBuilder().setName("exception"))
            .build();

    private static final LogRecord LOG = LogRecord.newBuilder()
            .setSeverityNumber(SeverityNumber.SEVERITY_NUMBER_ERROR2)
            .setBody(map(pair("user", map(pair("id", integer(42)))), pair("msg", text("no route"))))
            .build();

    private static AnyValue text(String text) {
        return AnyValue.newBuilder().setStringValue(text).build();
    }

    private static AnyValue integer(long value) {
        return AnyValue.newBuilder().setIntValue(value).build();
    }

    private static AnyValue array(AnyValue... values) {
        ArrayValue.Builder array = ArrayValue.newBuilder();
        for (AnyValue value : values) {
            array.addValues(value);
        }
        return AnyValue.newBuilder().setArrayValue(array).build();
    }

    private static AnyValue map(KeyValue... pairs) {
        KeyValueList.Builder map = KeyValueList.newBuilder();
        for (KeyValue pair : pairs) {
            map.addValues(pair);
        }
        return AnyValue.newBuilder().setKvlistValue(map).build();
    }

    private static KeyValue pair(String key, AnyValue value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }

    private static boolean test(String format, MessageLite message, String expression) {
        byte[] bytes = message.toByteArray();
        UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES + bytes.length]);
        payload.putBytes(Long.BYTES, bytes);
        return Where.parse(expression).bind(Formats.parse(format)).test(payload, 0, payload.capacity());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "status == 'error'                            | true",
                "status == 'ERROR'                            | true",
                "status == 'STATUS_CODE_ERROR'                | true",
                "status == 'Ok'                               | false",
                "status != 'OK'                               | true",
                "status in ('OK', 'Error')                    | true",
                "status not in ('OK', 'UNSET')                | true",
                "status contains 'ERR'                        | true",
                "status_code == 'error'                       | true",
                "status_code in ('OK', 2)                     | true",
                "kind == 'SERVER'                             | true",
                "kind == 'SPAN_KIND_SERVER'                   | true",
                "kind != 'Client'                             | true",
                "trace_id == '0123456789ABCDEF0123456789abcdef' | true",
                "trace_id contains 'CDEF0'                    | true",
                "span_id == 'FEDCBA9876543210'                | true",
                "span_id in ('0000000000000000', 'FEDCBA9876543210') | true",
                "events contains 'timeout'                    | true",
                "events matches 'again'                       | true",
                "events.name == 'exception'                   | true",
                "events.name == 'none'                        | false",
                "events.attributes.reason contains 'timeout'  | true",
                "attributes contains 'red'                    | true",
                "attributes contains 'Ann \"A\"'              | true",
                "attributes.user.id == 42                     | true",
                "attr.tags == 'blue'                          | true",
                "attr.tags == 7                               | true",
                "attr.tags contains 'blu'                     | true",
                "attr.user.id == 42                           | true",
                "attr.user.name contains 'Ann'                | true",
                "attr.user.none == 42                         | false",
                "attr.http.route == '/cart'                   | true",
                "attr.http.route.x == '/cart'                 | false",
                "attr.none is null                            | true",
                "attr.http.route is not null                  | true",
                "attr.user.none is null                       | true",
                "parent_span_id is null                       | true",
                "resource.service.name is null                | true",
                "attr.user.id / 2 == 21 and attr.user.id * 2 - 1 > 82 | true",
                "attr.user.id + attr.none != 0                | false",
                "-(attr.user.id) between -42 and 0 - attr.user.id | true",
            })
    void shouldMeanWhatPeopleWriteOfSpans(String expression, boolean expected) {
        assertEquals(expected, test("otlp-span", SPAN, expression));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "severity == 'ERROR'                 | true",
                "severity == 'SEVERITY_NUMBER_ERROR' | true",
                "severity == 'error2'                | true",
                "severity == 'ERROR3'                | false",
                "severity >= 'WARN'                  | true",
                "severity > 'ERROR'                  | false",
                "severity <= 'ERROR'                 | true",
                "severity < 'FATAL'                  | true",
                "severity != 'INFO'                  | true",
                "severity != 'ERROR'                 | false",
                "severity in ('WARN', 'ERROR')       | true",
                "severity not in ('WARN', 'INFO')    | true",
                "severity not in ('WARN', 'ERROR')   | false",
                "body.user.id == 42                  | true",
                "body.msg contains 'route'           | true",
                "body contains 'no route'            | true",
                "body matches 'route'                | true",
            })
    void shouldMeanWhatPeopleWriteOfLogs(String expression, boolean expected) {
        assertEquals(expected, test("otlp-log", LOG, expression));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status == 'ERRORS'",
                "status == 2",
                "status in ('ok', 'bad')",
                "status contains 'xyz'",
                "kind == 'gateway'",
                "trace_id == 'abc'",
                "trace_id != 'xyz'",
                "span_id contains 'g'",
                "events == 'retry'",
                "events > 5",
                "attributes == true"
            })
    void shouldRefuseWhatNoSpanCanBe(String expression) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> test("otlp-span", SPAN, expression));
        assertTrue(
                String.valueOf(e.getMessage())
                        .matches("(?s).*(values=.*(error|server|hexadecimal)|events.NAME|attributes.NAME).*"),
                e.getMessage());
    }

    @Test
    void shouldRefuseASeverityThatIsNone() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> test("otlp-log", LOG, "severity == 'SEVERE'"));
        assertTrue(String.valueOf(e.getMessage()).contains("warn"), e.getMessage());
    }

    @Test
    void shouldTakeTheFirstOfEqualKeysAndTheKeyBeforeAPath() {
        Span span = Span.newBuilder()
                .addAttributes(pair("a", map(pair("b", integer(1)))))
                .addAttributes(pair("a.b", integer(2)))
                .addAttributes(pair("a.b", integer(3)))
                .build();
        assertTrue(test("otlp-span", span, "attr.a.b == 2"));
        Span other = Span.newBuilder()
                .addAttributes(pair("a", map(pair("b.c", integer(1)))))
                .addAttributes(pair("a.b", map(pair("c", integer(2)))))
                .build();
        assertTrue(test("otlp-span", other, "attr.a.b.c == 2"));
    }
}
