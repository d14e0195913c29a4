package org.handlersocket2;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DynamicTest;

/** The files of clients/vectors, in which a string has one character for each byte. */
public final class Vectors {
  private Vectors() {}

  /** A test for each case of a file. */
  public static List<DynamicTest> tests(String file, Consumer<JsonObject> test) {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonElement one : cases(file)) {
      String name = one.getAsJsonObject().get("name").getAsString();
      tests.add(
          DynamicTest.dynamicTest(
              file + ": " + name.replaceAll("\\p{Cntrl}", "?"),
              () -> test.accept(one.getAsJsonObject())));
    }
    return tests;
  }

  private static JsonArray cases(String file) {
    try {
      String content = Files.readString(Path.of("..", "vectors", file + ".json"));
      return JsonParser.parseString(content).getAsJsonObject().getAsJsonArray("cases");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bytes that a string stands for, or null. */
  public static byte[] bytes(JsonElement text) {
    return text == null || text.isJsonNull()
        ? null
        : text.getAsString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The values of a list, as bytes. */
  public static List<byte[]> values(JsonElement list) {
    List<byte[]> values = new ArrayList<>();
    list.getAsJsonArray().forEach(one -> values.add(bytes(one)));
    return values;
  }
}
