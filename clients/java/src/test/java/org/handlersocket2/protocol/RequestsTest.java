package org.handlersocket2.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import org.handlersocket2.ValueError;
import org.handlersocket2.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class RequestsTest {
  @TestFactory
  List<DynamicTest> requestsHaveTheirBytes() {
    return Vectors.tests(
        "requests", one -> assertArrayEquals(Vectors.bytes(one.get("bytes")), line(one).toBytes()));
  }

  @TestFactory
  List<DynamicTest> whatCannotBeSentIsRefused() {
    return Vectors.tests(
        "bad_requests", one -> assertThrows(ValueError.class, () -> line(one).toBytes()));
  }

  @TestFactory
  List<DynamicTest> challengesHaveTheirAnswers() {
    return Vectors.tests(
        "logins",
        one ->
            assertArrayEquals(
                hex(one.get("response")),
                Requests.nativePassword(hex(one.get("password")), hex(one.get("challenge")))));
  }

  @Test
  void valuesOfJavaAreWrittenAsSqlReadsThem() {
    Object[][] cases = {
      {1L, "1"},
      {(byte) -1, "-1"},
      {true, "1"},
      {false, "0"},
      {new BigInteger("18446744073709551615"), "18446744073709551615"},
      {new BigDecimal("1.50"), "1.50"},
      {"é😀", "é😀"},
      {"?", "?"},
      {LocalDate.of(2024, 2, 29), "2024-02-29"},
      {LocalDateTime.of(2024, 2, 29, 1, 2, 3), "2024-02-29 01:02:03"},
      {LocalDateTime.of(24, 2, 29, 1, 2, 3, 4_999), "0024-02-29 01:02:03.000004"},
      {LocalTime.of(1, 2), "01:02:00"},
      {Duration.ofHours(-838).minusMillis(1), "-838:00:00.001000"},
    };
    for (Object[] one : cases) {
      assertEquals(one[1], text(one[0]));
    }
  }

  @Test
  void floatingPointNumbersReadBackTheSame() {
    double[] doubles = {
      0.1, 1e300, -2.5, 2e-3, 2e23, 1.0, Double.MIN_VALUE, Double.MAX_VALUE, -0.0
    };
    for (double one : doubles) {
      assertEquals(one, Double.parseDouble(text(one)));
    }
    assertEquals("0.002", text(2e-3));
    assertEquals("2E+23", text(2e23));
    assertEquals(0.1f, Float.parseFloat(text(0.1f)));
  }

  @Test
  void whatIsNoValueIsRefused() {
    Object[] wrong = {
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Float.NEGATIVE_INFINITY,
      "half \ud800",
      new Object(),
      LocalDate.of(10000, 1, 1)
    };
    for (Object one : wrong) {
      assertThrows(ValueError.class, () -> text(one));
    }
  }

  private static String text(Object value) {
    return new String(new Line().argument(value).toBytes(), StandardCharsets.UTF_8);
  }

  private static byte[] hex(JsonElement text) {
    String digits = text.getAsString();
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  private static Line line(JsonObject one) {
    JsonArray call = one.getAsJsonArray("call");
    Line line = new Line();
    switch (call.get(0).getAsString()) {
      case "open":
        Line spec =
            Open.spec(text(call, 2), text(call, 3), text(call, 4), texts(call, 5), texts(call, 6));
        Open.append(line, call.get(1).getAsLong(), spec);
        return line;
      case "find":
        find(line, call, "");
        break;
      case "count":
        find(line, call, "C");
        break;
      case "change":
        if (text(call, 8).isEmpty()) {
          throw new ValueError("a change has a verb");
        }
        find(line, call, text(call, 8));
        break;
      case "insert":
        line.number(call.get(1).getAsLong()).tab();
        List<?> update = has(call, 4) ? Vectors.values(call.get(4)) : null;
        Insert.append(line, text(call, 2), Vectors.values(call.get(3)), update);
        break;
      default:
        line.raw(other(call));
    }
    return line.raw('\n');
  }

  private static void find(Line line, JsonArray call, String verb) {
    line.number(call.get(1).getAsLong()).tab();
    Find find = new Find(text(call, 2), Vectors.values(call.get(3)), verb);
    find.limit = has(call, 4) ? call.get(4).getAsLong() : 1;
    find.offset = has(call, 5) ? call.get(5).getAsLong() : 0;
    if (has(call, 6)) {
      JsonObject in = call.get(6).getAsJsonObject();
      find.in =
          new In(
              in.get("part").getAsLong(),
              Vectors.values(in.get("values")),
              in.get("all").getAsBoolean());
    }
    if (has(call, 7) && call.get(7).isJsonArray()) {
      for (JsonElement one : call.get(7).getAsJsonArray()) {
        filter(find, one.getAsJsonArray());
      }
    }
    if (has(call, 9)) {
      find.values = Vectors.values(call.get(9));
    }
    find.append(line);
  }

  private static void filter(Find find, JsonArray parts) {
    find.filters.add(
        new Filter(
            text(parts, 0), text(parts, 1), parts.get(2).getAsLong(), Vectors.bytes(parts.get(3))));
  }

  private static Line other(JsonArray call) {
    switch (call.get(0).getAsString()) {
      case "begin":
        return Requests.begin(text(call, 1), has(call, 2) && call.get(2).getAsBoolean());
      case "commit":
        return Requests.commit();
      case "rollback":
        return Requests.rollback();
      case "savepoint":
        return Requests.savepoint(text(call, 1));
      case "rollback_to":
        return Requests.rollbackTo(text(call, 1));
      case "last_gtid":
        return Requests.lastGtid();
      case "wait_gtid":
        return Requests.waitGtid(text(call, 1), call.get(2).getAsLong());
      case "hello":
        return Requests.hello(call.get(1).getAsLong(), text(call, 2));
      case "describe":
        boolean indexes = has(call, 3) && call.get(3).getAsBoolean();
        return Requests.describe(text(call, 1), text(call, 2), indexes);
      case "login":
        return Requests.login(text(call, 1), texts(call, 2));
      case "answer":
        return Requests.answer(hex(call.get(1)));
      case "password":
        return Requests.password(text(call, 1), text(call, 2));
      default:
        return Requests.secret(text(call, 1));
    }
  }

  private static boolean has(JsonArray call, int place) {
    return place < call.size() && !call.get(place).isJsonNull();
  }

  /** Text of bytes in UTF-8, or the empty text. */
  private static String text(JsonArray call, int place) {
    return has(call, place)
        ? new String(Vectors.bytes(call.get(place)), StandardCharsets.UTF_8)
        : "";
  }

  private static List<String> texts(JsonArray call, int place) {
    List<String> texts = new ArrayList<>();
    if (has(call, place)) {
      JsonArray list = call.get(place).getAsJsonArray();
      for (int i = 0; i < list.size(); i++) {
        texts.add(text(list, i));
      }
    }
    return texts;
  }
}
