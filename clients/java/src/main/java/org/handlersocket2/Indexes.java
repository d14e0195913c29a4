package org.handlersocket2;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** The open indexes of one connection. */
final class Indexes {
  private static final int MOST = 256;

  /** What stands for an id. */
  static final class Index {
    final long id;
    ServerError refused;

    private Index(long id) {
      this.id = id;
    }
  }

  // The one that was used longest ago comes first.
  private final Map<String, Index> open = new LinkedHashMap<>(16, 0.75f, true);
  private final Deque<Long> free = new ArrayDeque<>(); // Ids whose index was refused.

  Index find(String spec) {
    return open.get(spec);
  }

  boolean isFull() {
    return open.size() >= MOST;
  }

  Index add(String spec) {
    long id = free.isEmpty() ? open.size() : free.pop();
    Index index = new Index(id);
    open.put(spec, index);
    return index;
  }

  void forget(String spec) {
    free.push(open.remove(spec).id);
  }

  /** The id of the index that was used longest ago. */
  long oldestId() {
    return open.values().iterator().next().id;
  }

  /** Puts an index in the place of the one that was used longest ago. */
  void replaceOldest(String spec) {
    String oldest = open.keySet().iterator().next();
    open.put(spec, new Index(open.remove(oldest).id));
  }
}
