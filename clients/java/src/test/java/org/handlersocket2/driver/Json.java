package org.handlersocket2.driver;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.handlersocket2.ConnectionError;
import org.handlersocket2.HandlerSocketError;
import org.handlersocket2.Inserted;
import org.handlersocket2.Replaced;
import org.handlersocket2.Row;
import org.handlersocket2.ServerError;
import org.handlersocket2.Upserted;

/** Values of Java as JSON of the acceptance script, and back. */
final class Json {
  private static final long EXACT = 1L << 53;

  private Json() {}

  static Object decode(JsonElement value) {
    if (value == null || value.isJsonNull()) {
      return null;
    }
    if (value.isJsonObject()) {
      Map.Entry<String, JsonElement> only = value.getAsJsonObject().entrySet().iterator().next();
      String content = only.getValue().getAsString();
      switch (only.getKey()) {
        case "bytes":
          return Base64.getDecoder().decode(content);
        case "integer":
          return new BigInteger(content);
        case "decimal":
          return new BigDecimal(content);
        case "float":
          return Double.valueOf(content);
        default:
          return content;
      }
    }
    JsonPrimitive plain = value.getAsJsonPrimitive();
    if (plain.isBoolean()) {
      return plain.getAsBoolean();
    }
    if (plain.isString()) {
      return plain.getAsString();
    }
    String digits = plain.getAsString();
    return digits.matches("-?[0-9]+") ? new BigInteger(digits) : (Object) Double.valueOf(digits);
  }

  static List<Object> decodeList(JsonElement value) {
    List<Object> list = new ArrayList<>();
    if (value != null && value.isJsonArray()) {
      value.getAsJsonArray().forEach(one -> list.add(decode(one)));
    } else {
      list.add(decode(value));
    }
    return list;
  }

  static Row decodeRow(JsonElement value) {
    Row row = new Row();
    value.getAsJsonObject().entrySet().forEach(e -> row.put(e.getKey(), decode(e.getValue())));
    return row;
  }

  static JsonElement encode(Object value) {
    if (value == null) {
      return JsonNull.INSTANCE;
    } else if (value instanceof JsonElement) {
      return (JsonElement) value;
    } else if (value instanceof byte[]) {
      return tagged("bytes", Base64.getEncoder().encodeToString((byte[]) value));
    } else if (value instanceof BigInteger || value instanceof Long) {
      BigInteger number = new BigInteger(value.toString());
      boolean exact = number.abs().compareTo(BigInteger.valueOf(EXACT)) <= 0;
      return exact ? new JsonPrimitive(number) : tagged("integer", number.toString());
    } else if (value instanceof BigDecimal) {
      return tagged("decimal", ((BigDecimal) value).toPlainString());
    } else if (value instanceof Number) {
      return new JsonPrimitive((Number) value);
    } else if (value instanceof Boolean) {
      return new JsonPrimitive((Boolean) value);
    } else if (value instanceof LocalDate) {
      return tagged("time", value.toString());
    } else if (value instanceof LocalDateTime) {
      String text = ((LocalDateTime) value).toString().replace('T', ' ');
      return tagged("time", text.length() == 16 ? text + ":00" : text);
    } else if (value instanceof Duration) {
      return tagged("time", time((Duration) value));
    }
    return encodeOther(value);
  }

  private static JsonElement encodeOther(Object value) {
    if (value instanceof Map) {
      JsonObject object = new JsonObject();
      ((Map<?, ?>) value).forEach((name, one) -> object.add((String) name, encode(one)));
      return object;
    } else if (value instanceof List) {
      JsonArray list = new JsonArray();
      ((List<?>) value).forEach(one -> list.add(encode(one)));
      return list;
    } else if (value instanceof Inserted) {
      Inserted done = (Inserted) value;
      return encode(Row.of("inserted", done.inserted(), "id", done.id()));
    } else if (value instanceof Upserted) {
      Upserted done = (Upserted) value;
      return encode(Row.of("did", done.did().name().toLowerCase(), "id", done.id()));
    } else if (value instanceof Replaced) {
      Replaced done = (Replaced) value;
      return encode(Row.of("replaced", done.rows(), "id", done.id()));
    }
    return new JsonPrimitive(value.toString());
  }

  private static JsonObject tagged(String kind, String content) {
    JsonObject object = new JsonObject();
    object.addProperty(kind, content);
    return object;
  }

  private static String time(Duration value) {
    Duration length = value.abs();
    String fraction = String.format(".%09d", length.getNano()).replaceAll("\\.?0+$", "");
    return String.format(
        "%s%02d:%02d:%02d%s",
        value.isNegative() ? "-" : "",
        length.toHours(),
        length.toMinutesPart(),
        length.toSecondsPart(),
        fraction);
  }

  static JsonObject ok(Object value) {
    JsonObject answer = new JsonObject();
    answer.add("ok", encode(value));
    return answer;
  }

  static JsonObject error(HandlerSocketError error) {
    JsonObject members = new JsonObject();
    members.addProperty("class", error.getClass().getSimpleName());
    members.addProperty("message", error.getMessage());
    if (error instanceof ServerError) {
      ServerError server = (ServerError) error;
      members.addProperty("code", server.code());
      members.addProperty("text", server.text());
      if (server.number() != 0) {
        members.addProperty("number", server.number());
      }
    } else if (error instanceof ConnectionError) {
      members.addProperty("sent", ((ConnectionError) error).sent());
    }
    JsonObject answer = new JsonObject();
    answer.add("error", members);
    return answer;
  }
}
