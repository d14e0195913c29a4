package org.handlersocket2.protocol;

import java.nio.ByteBuffer;
import org.handlersocket2.ProtocolError;

/**
 * Turns bytes, which come in any pieces, into replies. After an error it is of no use any more. It
 * is for one thread.
 */
public final class ReplyReader {
  /** Bounds one reply: it is the largest that a server sends, in bytes. */
  public static final int MAX_REPLY = 64 << 20;

  private static final int FIRST_BUFFER = 16 << 10;
  private static final int KEPT_BUFFER = 1 << 20; // A larger buffer is given up when it is empty.

  private final int maxReply;
  private long mostValues = Long.MAX_VALUE;
  private byte[] buffer = new byte[FIRST_BUFFER];
  private int start; // Where the next reply begins.
  private int scanned; // There is no end of a line before this place.
  private int end;

  /** Makes a reader with the usual bound. */
  public ReplyReader() {
    this(MAX_REPLY);
  }

  /** Makes a reader with a bound for one reply, in bytes with its end. */
  public ReplyReader(int maxReply) {
    this.maxReply = maxReply;
  }

  /**
   * Bounds the values of one reply. Where they are short their list takes far more memory than the
   * reply.
   */
  public void setMostValues(long most) {
    mostValues = most;
  }

  /** Returns room to read into, of one byte at least. {@link #filled} tells how much was read. */
  public ByteBuffer space() {
    if (start == end) {
      if (buffer.length > KEPT_BUFFER) {
        buffer = new byte[FIRST_BUFFER];
      }
      start = 0;
      scanned = 0;
      end = 0;
    } else if (end == buffer.length) {
      int used = end - start;
      byte[] target = used > buffer.length / 2 ? new byte[2 * buffer.length] : buffer;
      System.arraycopy(buffer, start, target, 0, used);
      buffer = target;
      scanned -= start;
      start = 0;
      end = used;
    }
    return ByteBuffer.wrap(buffer, end, buffer.length - end);
  }

  /** Says that so many bytes of the space were filled. */
  public void filled(int count) {
    end += count;
  }

  /** Takes a copy of bytes. */
  public void feed(byte[] bytes, int from, int to) {
    for (int next = from; next < to; ) {
      ByteBuffer space = space();
      int count = Math.min(space.remaining(), to - next);
      space.put(bytes, next, count);
      filled(count);
      next += count;
    }
  }

  /** Returns how many bytes there are behind the last reply. */
  public int buffered() {
    return end - start;
  }

  /**
   * Returns the next reply, or null when it is not whole yet.
   *
   * @throws ProtocolError when it is no reply, or longer than it may be
   */
  public Reply next() {
    if (scanned == start && mostValues > 0) {
      Reply one = Reply.parseOne(buffer, start, end);
      if (one != null && one.lengthOfOne() <= maxReply) {
        start += one.lengthOfOne();
        scanned = start;
        return one;
      }
    }
    int found = Reply.indexOf(buffer, (byte) '\n', scanned, end);
    int first = start;
    scanned = found;
    if (found == end) {
      if (end - start > maxReply) {
        throw new ProtocolError("it is longer than " + maxReply + " bytes");
      }
      return null;
    }
    start = found + 1;
    scanned = start;
    if (start - first > maxReply) {
      throw new ProtocolError("it is longer than " + maxReply + " bytes");
    }
    return Reply.parse(buffer, first, found, mostValues);
  }
}
