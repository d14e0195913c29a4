package org.handlersocket2;

/** One of the two ports of a server. */
public enum Port {
  /** Takes reads. */
  READ,
  /** Takes everything. */
  WRITE
}
