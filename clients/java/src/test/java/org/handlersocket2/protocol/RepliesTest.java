package org.handlersocket2.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.handlersocket2.ProtocolError;
import org.handlersocket2.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class RepliesTest {
  @TestFactory
  List<DynamicTest> valuesHaveTheirTokens() {
    return Vectors.tests(
        "values",
        one -> {
          byte[] value = Vectors.bytes(one.get("value"));
          byte[] token = Vectors.bytes(one.get("token"));
          assertArrayEquals(token, new Line().value(value).toBytes());
          assertArrayEquals(value, Reply.value(token, 0, token.length));
          if (one.has("also")) {
            for (byte[] other : Vectors.values(one.get("also"))) {
              assertArrayEquals(value, Reply.value(other, 0, other.length));
            }
          }
        });
  }

  @TestFactory
  List<DynamicTest> whatIsNoValueIsRefused() {
    return Vectors.tests(
        "bad_values",
        one -> {
          byte[] token = Vectors.bytes(one.get("token"));
          assertThrows(ProtocolError.class, () -> Reply.value(token, 0, token.length));
        });
  }

  @TestFactory
  List<DynamicTest> repliesAreReadInAnyPieces() {
    return Vectors.tests("replies", one -> inPieces(one, List.of(one), 0));
  }

  @TestFactory
  List<DynamicTest> errorsAreReadInAnyPieces() {
    return Vectors.tests("errors", one -> inPieces(one, List.of(one), 0));
  }

  @TestFactory
  List<DynamicTest> streamsAreReadInAnyPieces() {
    return Vectors.tests(
        "streams",
        one -> {
          List<JsonObject> replies = new ArrayList<>();
          one.getAsJsonArray("replies").forEach(reply -> replies.add(reply.getAsJsonObject()));
          inPieces(one, replies, one.get("rest").getAsInt());
        });
  }

  private static void inPieces(JsonObject one, List<JsonObject> expected, int rest) {
    byte[] bytes = Vectors.bytes(one.get("bytes"));
    for (int cut = 0; cut < bytes.length; cut++) {
      ReplyReader reader = new ReplyReader();
      List<Reply> replies = new ArrayList<>();
      feed(reader, bytes, 0, cut, replies);
      feed(reader, bytes, cut, bytes.length, replies);
      compare(expected, rest, replies, reader);
    }
    ReplyReader reader = new ReplyReader();
    List<Reply> replies = new ArrayList<>();
    for (int i = 0; i < bytes.length; i++) {
      feed(reader, bytes, i, i + 1, replies);
    }
    compare(expected, rest, replies, reader);
  }

  private static void feed(ReplyReader reader, byte[] bytes, int from, int to, List<Reply> found) {
    reader.feed(bytes, from, to);
    for (Reply reply = reader.next(); reply != null; reply = reader.next()) {
      found.add(reply);
    }
  }

  private static void compare(
      List<JsonObject> expected, int rest, List<Reply> replies, ReplyReader reader) {
    assertEquals(expected.size(), replies.size());
    assertEquals(rest, reader.buffered());
    for (int i = 0; i < replies.size(); i++) {
      JsonObject wanted = expected.get(i);
      Reply reply = replies.get(i);
      JsonElement code = wanted.get("code");
      assertEquals(code == null ? 0 : code.getAsInt(), reply.code());
      if (code != null) {
        assertArrayEquals(
            Vectors.bytes(wanted.get("text")),
            reply.text().getBytes(java.nio.charset.StandardCharsets.UTF_8));
        continue;
      }
      assertEquals(wanted.get("columns").getAsInt(), reply.columns());
      List<byte[]> values = Vectors.values(wanted.get("values"));
      assertArrayEquals(values.toArray(), reply.values().toArray());
    }
  }

  @TestFactory
  List<DynamicTest> whatIsNoReplyIsRefused() {
    return Vectors.tests(
        "bad_replies",
        one -> {
          byte[] bytes = Vectors.bytes(one.get("bytes"));
          ReplyReader reader = new ReplyReader();
          assertThrows(
              ProtocolError.class, () -> feed(reader, bytes, 0, bytes.length, new ArrayList<>()));
        });
  }

  @TestFactory
  List<DynamicTest> repliesHaveABound() {
    return Vectors.tests(
        "long_replies",
        one -> {
          byte[] bytes = Vectors.bytes(one.get("bytes"));
          ReplyReader reader = new ReplyReader(one.get("max_reply").getAsInt());
          List<Reply> replies = new ArrayList<>();
          if (one.get("error").getAsBoolean()) {
            assertThrows(ProtocolError.class, () -> feed(reader, bytes, 0, bytes.length, replies));
          } else {
            feed(reader, bytes, 0, bytes.length, replies);
            assertEquals(0, reader.buffered());
          }
        });
  }

  @TestFactory
  List<DynamicTest> typesHaveTheirKinds() {
    return Vectors.tests(
        "types",
        one -> {
          Kind kind = Kind.of(one.get("type").getAsString());
          assertEquals(one.get("kind").getAsString(), kind.name().toLowerCase());
        });
  }
}
