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
  private static final long ONES = 0x0101_0101_0101_0101L;

  private final int code;
  private final int columns;
  private final String text;
  private final List<byte[]> values;

  private Reply(int code, int columns, String text, List<byte[]> values) {
    this.code = code;
    this.columns = columns;
    this.text = text;
    this.values = values;
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
    return values;
  }

  /** Returns how many rows there are. */
  public int rows() {
    return columns == 0 ? 0 : values.size() / columns;
  }

  /** Returns a value as text, or null. */
  public String string(int place) {
    byte[] value = values.get(place);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
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
    List<byte[]> values = new ArrayList<>();
    for (int next = behind; next < end; ) {
      if (values.size() == mostValues) {
        throw new ProtocolError("it has more values than were asked for");
      }
      int stop = indexOf(bytes, (byte) '\t', next + 1, end);
      values.add(value(bytes, next + 1, stop));
      next = stop;
    }
    if (!values.isEmpty() && (columns == 0 || values.size() % columns != 0)) {
      throw new ProtocolError(values.size() + " values are no rows of " + columns);
    }
    return new Reply(0, columns, "", values);
  }

  private static Reply error(int code, int columns, byte[] bytes, int behind, int end) {
    if (columns != 1 || end - behind < 2 || indexOf(bytes, (byte) '\t', behind + 1, end) != end) {
      throw new ProtocolError("it is no error of one text");
    }
    String text = new String(bytes, behind + 1, end - behind - 1, StandardCharsets.UTF_8);
    return new Reply(code, columns, text, List.of());
  }

  /** Returns the value of a token: null is NULL. */
  public static byte[] value(byte[] bytes, int start, int end) {
    if (end - start == 1 && bytes[start] == 0) {
      return null;
    }
    int read = indexOf(bytes, (byte) 1, start, end);
    if (read == end) {
      return Arrays.copyOfRange(bytes, start, end);
    }
    byte[] value = new byte[end - start - 1];
    System.arraycopy(bytes, start, value, 0, read - start);
    int written = read - start;
    for (; read < end; read++) {
      byte one = bytes[read];
      if (one == 1) {
        read++;
        if (read == end || bytes[read] < 0x40 || bytes[read] >= 0x50) {
          throw new ProtocolError("an escape that is none");
        }
        one = (byte) (bytes[read] - 0x40);
      }
      value[written++] = one;
    }
    return written == value.length ? value : Arrays.copyOf(value, written);
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

  private static String quote(byte[] bytes, int start, int end) {
    int length = Math.min(20, end - start);
    return "\"" + new String(bytes, start, length, StandardCharsets.ISO_8859_1) + "\"";
  }
}
