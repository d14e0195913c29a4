package org.handlersocket2.protocol;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.handlersocket2.ValueError;

/** Bytes of requests, to which more can be appended. It is for one thread. */
public final class Line {
  private static final int FIRST_FREE = 0x10; // Bytes from here on stand for themselves.
  private static final int ESCAPE = 0x01;
  private static final int SHIFT = 0x40;
  private static final long MOST = 0xffff_ffffL;
  private static final int MOST_DIGITS = 20; // Of a long, with its sign.

  private byte[] bytes;
  private int length;

  /** Makes an empty line. */
  public Line() {
    this(64);
  }

  /** Makes an empty line with room for so many bytes; it grows by itself. */
  public Line(int room) {
    bytes = new byte[room];
  }

  /** Returns how many bytes there are. */
  public int length() {
    return length;
  }

  /** Returns a copy of the bytes. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Returns the bytes to read from; they are shared with this line. */
  public ByteBuffer toBuffer() {
    return ByteBuffer.wrap(bytes, 0, length);
  }

  /** Appends one byte as it is. */
  public Line raw(int one) {
    reserve(1);
    bytes[length++] = (byte) one;
    return this;
  }

  /** Appends bytes as they are. */
  public Line raw(byte[] more) {
    return raw(more, 0, more.length);
  }

  /** Appends a part of another line. */
  public Line raw(Line other, int from, int to) {
    return raw(other.bytes, from, to);
  }

  private Line raw(byte[] more, int from, int to) {
    reserve(to - from);
    System.arraycopy(more, from, bytes, length, to - from);
    length += to - from;
    return this;
  }

  /** Appends text as it is, in UTF-8. */
  public Line raw(String text) {
    int end = text.length();
    reserve(end);
    for (int i = 0; i < end; i++) {
      char one = text.charAt(i);
      if (one >= 0x80) {
        return raw(utf8(text));
      }
      bytes[length + i] = (byte) one; // What is short and ASCII, as most is, needs no copy.
    }
    length += end;
    return this;
  }

  /** Appends the bytes of another line. */
  public Line raw(Line other) {
    return raw(other.bytes, 0, other.length);
  }

  /** Appends a TAB. */
  public Line tab() {
    return raw('\t');
  }

  /** Appends a name: it cannot be escaped, so that control characters are refused. */
  public Line name(String name) {
    byte[] text = utf8(name);
    for (byte one : text) {
      if (one >= 0 && one < FIRST_FREE) {
        throw new ValueError("\"" + name + "\" has a control character");
      }
    }
    return raw(text);
  }

  /** Appends names with commas. */
  Line names(List<String> names) {
    String separator = "";
    for (String name : names) {
      if (name.isEmpty() || name.contains(",")) {
        throw new ValueError("\"" + name + "\" is no name of a column here");
      }
      raw(separator).name(name);
      separator = ",";
    }
    return this;
  }

  /** Appends an index id, a limit, an offset: 0 to 4294967295. */
  public Line number(long number) {
    if (number < 0 || number > MOST) {
      throw new ValueError(number + " is no number from 0 to 4294967295");
    }
    return digits(number);
  }

  /** Appends the token of a value; null is NULL. */
  public Line value(byte[] value) {
    if (value == null) {
      return raw(0);
    }
    int kept = 0; // The bytes before this place are there already.
    for (int i = 0; i < value.length; i++) {
      if (value[i] >= 0 && value[i] < FIRST_FREE) {
        raw(value, kept, i).raw(ESCAPE).raw(value[i] + SHIFT);
        kept = i + 1;
      }
    }
    return raw(value, kept, value.length);
  }

  /**
   * Appends the token of a Java value: null, text, byte[], integers, floating point numbers,
   * BigInteger, BigDecimal, truths (1 and 0), LocalDate, LocalDateTime, LocalTime, Duration (as a
   * TIME) and UUID. Times are cut to the microsecond.
   */
  public Line argument(Object value) {
    if (value == null) {
      return raw(0);
    } else if (value instanceof Integer || value instanceof Long) { // As most keys are.
      return digits(((Number) value).longValue());
    } else if (value instanceof byte[]) {
      return value((byte[]) value);
    } else if (value instanceof CharSequence || value instanceof Character) {
      return value(utf8(value.toString()));
    } else if (value instanceof Boolean) {
      return raw((Boolean) value ? '1' : '0');
    } else if (value instanceof Double) {
      return raw(shortest((Double) value));
    } else if (value instanceof Float) {
      return raw(shortest((Float) value));
    } else if (value instanceof LocalDateTime) {
      LocalDateTime at = (LocalDateTime) value;
      return date(at.toLocalDate()).raw(' ').time(at.toLocalTime());
    } else if (value instanceof LocalDate) {
      return date((LocalDate) value);
    } else if (value instanceof LocalTime) {
      return time((LocalTime) value);
    } else if (value instanceof Duration) {
      return duration((Duration) value);
    } else if (value instanceof Short || value instanceof Byte) {
      return digits(((Number) value).longValue());
    } else if (isPlain(value)) {
      return raw(value.toString());
    }
    throw new ValueError("a " + value.getClass().getName() + " is no value of a column");
  }

  private static boolean isPlain(Object value) {
    return value instanceof BigInteger || value instanceof BigDecimal || value instanceof UUID;
  }

  /** Appends a number without making a text of it: it is in most keys. */
  private Line digits(long number) {
    reserve(MOST_DIGITS);
    if (number < 0) {
      bytes[length++] = '-';
    }
    int count = 1;
    for (long rest = number / 10; rest != 0; rest /= 10) {
      count++;
    }
    for (int place = length + count; place > length; number /= 10) {
      bytes[--place] = (byte) ('0' + Math.abs(number % 10));
    }
    length += count;
    return this;
  }

  /** Appends how many values there are, and the values. */
  Line values(List<?> values) {
    number(values.size());
    for (Object value : values) {
      tab().argument(value);
    }
    return this;
  }

  private static String shortest(double value) {
    requireFinite(value);
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    BigDecimal text = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    while (text.precision() > 1) { // Before Java 19 there may be a digit too many.
      BigDecimal shorter = text.round(new MathContext(text.precision() - 1));
      if (shorter.doubleValue() != value) {
        break;
      }
      text = shorter.stripTrailingZeros();
    }
    return text.toString();
  }

  private static String shortest(float value) {
    requireFinite(value);
    return Float.toString(value);
  }

  private static void requireFinite(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      throw new ValueError(value + " is no value of a column");
    }
  }

  private Line date(LocalDate day) {
    if (day.getYear() < 0 || day.getYear() > 9999) {
      throw new ValueError("the year " + day.getYear() + " is none of a column");
    }
    padded(day.getYear(), 4).raw('-').padded(day.getMonthValue(), 2);
    return raw('-').padded(day.getDayOfMonth(), 2);
  }

  private Line time(LocalTime time) {
    return duration(Duration.ofNanos(time.toNanoOfDay()));
  }

  private Line duration(Duration time) {
    if (time.isNegative()) {
      raw('-');
    }
    Duration length = time.abs();
    padded(length.toHours(), 2).raw(':').padded(length.toMinutesPart(), 2);
    raw(':').padded(length.toSecondsPart(), 2);
    int micros = length.toNanosPart() / 1000;
    return micros == 0 ? this : raw('.').padded(micros, 6);
  }

  private Line padded(long number, int width) {
    String digits = Long.toString(number);
    for (int i = digits.length(); i < width; i++) {
      raw('0');
    }
    return raw(digits);
  }

  private void reserve(int more) {
    if (more > bytes.length - length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, 2L * length + more));
    }
  }

  private static byte[] utf8(String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    for (byte one : encoded) {
      if (one == '?') { // It may stand for half a character.
        return strict(text);
      }
    }
    return encoded;
  }

  private static byte[] strict(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] exact = new byte[encoded.remaining()];
      encoded.get(exact);
      return exact;
    } catch (CharacterCodingException e) {
      throw new ValueError("a text has half a character: it is no Unicode");
    }
  }
}
