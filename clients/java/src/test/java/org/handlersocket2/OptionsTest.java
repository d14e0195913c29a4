package org.handlersocket2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class OptionsTest {
  @TestFactory
  List<DynamicTest> urlsHaveTheirOptions() {
    return Vectors.tests(
        "urls",
        one -> {
          String url = one.get("url").getAsString();
          if (one.has("error")) {
            assertThrows(ConfigurationError.class, () -> Options.of(Url.parse(url)));
          } else {
            compare(one.getAsJsonObject("options"), Options.of(Url.parse(url)));
          }
        });
  }

  private static void compare(JsonObject expected, Options options) {
    for (Setting setting : Setting.values()) {
      Object got = options.all.get(setting.option());
      JsonElement wanted = expected.get(setting.option());
      if (wanted == null) {
        assertEquals(setting.fallback(), got, setting.option());
      } else if (wanted.isJsonArray()) {
        List<String> list = new ArrayList<>();
        wanted.getAsJsonArray().forEach(item -> list.add(item.getAsString()));
        assertEquals(list, got);
      } else if (got instanceof Number) {
        assertEquals(wanted.getAsDouble(), ((Number) got).doubleValue(), setting.option());
      } else {
        assertEquals(wanted.getAsString(), got.toString(), setting.option());
      }
    }
  }

  @Test
  void theEnvironmentAndTheOptionFileGiveWhatTheUrlDoesNot(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("hs.cnf");
    Files.writeString(file, "# here\n[client]\nuser=x\n[hs]\nuser = app\nhost=h\nsecret = a=b\n");
    Map<String, String> environment =
        Map.of("HS_OPTION_FILE", file.toString(), "HS_PASSWORD", "p", "HS_URL", "hs://other");
    assertEquals(
        Map.of("host", "db", "user", "app", "password", "p", "secret", "a=b"),
        Sources.read("hs://db", environment));
    assertEquals("other", Sources.read("", environment).get("host"));
    assertEquals("me", Sources.read("hs://me@db", environment).get("user"));
  }

  @Test
  void anOptionFileThatIsWrongIsRefused(@TempDir Path folder) throws IOException {
    for (String line : List.of("nosuch = 1", "user", "user = a\nuser = b")) {
      Path file = folder.resolve("hs.cnf");
      Files.writeString(file, "[hs]\n" + line + "\n");
      Map<String, String> environment = Map.of("HS_OPTION_FILE", file.toString());
      assertThrows(ConfigurationError.class, () -> Sources.read("", environment));
    }
    Map<String, String> missing = Map.of("HS_OPTION_FILE", folder.resolve("none").toString());
    assertThrows(ConfigurationError.class, () -> Sources.read("", missing));
  }

  @TestFactory
  List<DynamicTest> errorsHaveTheirClasses() {
    return Vectors.tests(
        "errors",
        one -> {
          ServerError error =
              ServerError.of(one.get("code").getAsInt(), one.get("text").getAsString());
          assertEquals(one.get("class").getAsString(), error.getClass().getSimpleName());
          assertEquals(one.has("number") ? one.get("number").getAsInt() : 0, error.number());
          String hint = one.has("hint") ? ": " + one.get("hint").getAsString() : "";
          assertEquals(error.text() + " (code " + error.code() + ")" + hint, error.getMessage());
        });
  }
}
