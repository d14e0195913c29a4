package org.handlersocket2.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.handlersocket2.ProtocolError;

/** One line of the server. */
public final class Reply {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final int FIRST_FREE = 0x10; // Bytes from here on stand for themselves.

  private static final int[] NONE = {};

  private final int code;
  private final int columns;
  private final String text;
  private final byte[] bytes; // Of the values, one behind another.
  private final int[] ends; // Where each value ends; the complement is that of a NULL.
  private final int count;

  private Reply(int code, int columns, String text, byte[] bytes, int[] ends, int count) {
    this.code = code;
    this.columns = columns;
    this.text = text;
    this.bytes = bytes;
    this.ends = ends;
    this.count = count;
  }

  /** Returns 0, or the code of an error: 1, 2 or 3. */
  public int code() {
    return code;
  }

  /** Returns the second token. */
  public int columns() {
    return columns;
  }

  /** Returns the text of an error, else the empty text. */
  public String text() {
    return text;
  }

  /** Returns all values of all rows; null is NULL. */
  public List<byte[]> values() {
    List<byte[]> values = new ArrayList<>(count);
    for (int place = 0; place < count; place++) {
      values.add(value(place));
    }
    return values;
  }

  /** Returns how many values there are. */
  public int count() {
    return count;
  }

  /** Returns how many rows there are. */
  public int rows() {
    return columns == 0 ? 0 : count / columns;
  }

  /** Returns a value, or null. */
  public byte[] value(int place) {
    int end = ends[place];
    return end < 0 ? null : Arrays.copyOfRange(bytes, start(place), end);
  }

  /** Returns a value as text, or null. */
  public String string(int place) {
    int end = ends[place];
    int start = start(place);
    return end < 0 ? null : new String(bytes, start, end - start, StandardCharsets.UTF_8);
  }

  private int start(int place) {
    int before = place == 0 ? 0 : ends[place - 1];
    return before < 0 ? ~before : before;
  }

  /** Reads the line that stands between two places, without its end. */
  static Reply parse(byte[] bytes, int start, int end, long mostValues) {
    int tab = indexOf(bytes, (byte) '\t', start, end);
    if (tab - start != 1 || tab == end || bytes[start] < '0' || bytes[start] > '9') {
      throw new ProtocolError("it begins with " + quote(bytes, start, end));
    }
    int code = bytes[start] - '0';
    int behind = indexOf(bytes, (byte) '\t', tab + 1, end);
    int columns = number(bytes, tab + 1, behind);
    if (code != 0) {
      return error(code, columns, bytes, behind, end);
    }
    byte[] values = new byte[end - behind];
    int[] ends = new int[Math.min(columns, values.length)]; // As most replies have a row at most.
    int count = 0;
    int length = 0;
    for (int next = behind; next < end; ) {
      if (count == mostValues) {
        throw new ProtocolError("it has more values than were asked for");
      }
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, Math.min(2 * count + 1, values.length));
      }
      int stop = indexOf(bytes, (byte) '\t', next + 1, end);
      boolean isNull = stop - next == 2 && bytes[next + 1] == 0;
      length = isNull ? length : unescape(bytes, next + 1, stop, values, length);
      ends[count++] = isNull ? ~length : length;
      next = stop;
    }
    if (count != 0 && (columns == 0 || count % columns != 0)) {
      throw new ProtocolError(count + " values are no rows of " + columns);
    }
    return new Reply(0, columns, "", values, ends, count);
  }

  /**
   * Reads a reply of one value that stands for itself, as most are, with one look at each byte.
   * Null: it is another one, or not whole yet.
   */
  static Reply parseOne(byte[] bytes, int start, int end) {
    int value = start + Integer.BYTES;
    if (end <= value || (int) INTS.get(bytes, start) != 0x09310930) { // 0, TAB, 1, TAB.
      return null;
    }
    int stop = control(bytes, value, end);
    return stop == end || bytes[stop] != '\n'
        ? null
        : new Reply(0, 1, "", Arrays.copyOfRange(bytes, value, stop), new int[] {stop - value}, 1);
  }

  private static Reply error(int code, int columns, byte[] bytes, int behind, int end) {
    if (columns != 1 || end - behind < 2 || indexOf(bytes, (byte) '\t', behind + 1, end) != end) {
      throw new ProtocolError("it is no error of one text");
    }
    String text = new String(bytes, behind + 1, end - behind - 1, StandardCharsets.UTF_8);
    return new Reply(code, columns, text, new byte[0], NONE, 0);
  }

  /** Returns the value of a token: null is NULL. */
  public static byte[] value(byte[] bytes, int start, int end) {
    if (end - start == 1 && bytes[start] == 0) {
      return null;
    }
    byte[] value = new byte[end - start];
    return Arrays.copyOf(value, unescape(bytes, start, end, value, 0));
  }

  /** Appends the value of a token, and returns where it ends. */
  private static int unescape(byte[] bytes, int start, int end, byte[] into, int length) {
    int read = indexOf(bytes, (byte) 1, start, end);
    System.arraycopy(bytes, start, into, length, read - start);
    int written = length + read - start;
    for (; read < end; read++) {
      byte one = bytes[read];
      if (one == 1) {
        read++;
        if (read == end || bytes[read] < 0x40 || bytes[read] >= 0x50) {
          throw new ProtocolError("an escape that is none");
        }
        one = (byte) (bytes[read] - 0x40);
      }
      into[written++] = one;
    }
    return written;
  }

  private static int number(byte[] bytes, int start, int end) {
    int number = 0;
    for (int i = start; i < end; i++) {
      if (bytes[i] < '0' || bytes[i] > '9' || end - start > 9) {
        start = end;
        break;
      }
      number = number * 10 + bytes[i] - '0';
    }
    if (start == end) {
      throw new ProtocolError("its number of columns is none");
    }
    return number;
  }

  /** Returns the place of a byte, or the end. */
  static int indexOf(byte[] bytes, byte wanted, int start, int end) {
    long pattern = ONES * wanted;
    int i = start;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long other = (long) LONGS.get(bytes, i) ^ pattern; // A byte that is wanted is 0 here.
      long found = other - ONES & ~other & ONES << 7; // The lowest bit is that of the first 0.
      if (found != 0) {
        return i + Long.numberOfTrailingZeros(found) / Byte.SIZE;
      }
    }
    while (i < end && bytes[i] != wanted) {
      i++;
    }
    return i;
  }

  /** Returns the place of the first byte that does not stand for itself, or the end. */
  private static int control(byte[] bytes, int start, int end) {
    int i = start;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long eight = (long) LONGS.get(bytes, i);
      long found = eight - ONES * FIRST_FREE & ~eight & ONES << 7;
      if (found != 0) { // The lowest bit is that of the first one.
        return i + Long.numberOfTrailingZeros(found) / Byte.SIZE;
      }
    }
    while (i < end && (bytes[i] < 0 || bytes[i] >= FIRST_FREE)) {
      i++;
    }
    return i;
  }

  /** How many bytes a reply of {@link #parseOne} has, with its LF. */
  int lengthOfOne() {
    return Integer.BYTES + bytes.length + 1;
  }

  private static String quote(byte[] bytes, int start, int end) {
    int length = Math.min(20, end - start);
    return "\"" + new String(bytes, start, length, StandardCharsets.ISO_8859_1) + "\"";
  }
}
