package org.handlersocket2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class GtidsTest {
  @TestFactory
  List<DynamicTest> readsWaitForTheHighest() {
    return Vectors.tests(
        "gtids",
        one -> {
          Gtids gtids = new Gtids();
          for (JsonElement told : one.getAsJsonArray("told")) {
            gtids.add(told.getAsString());
          }
          TreeSet<String> expected = new TreeSet<>();
          one.getAsJsonArray("known").forEach(gtid -> expected.add(gtid.getAsString()));
          TreeSet<String> known = new TreeSet<>(List.of(gtids.list().split(",")));
          known.remove("");
          assertEquals(expected, known);
        });
  }
}
