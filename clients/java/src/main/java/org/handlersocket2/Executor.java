package org.handlersocket2;

import java.util.List;

/** Carries requests out: a client, or a transaction. */
abstract class Executor {
  /**
   * Carries requests out and completes each. Those that a lost connection leaves unanswered get its
   * error, which is returned, too; else null.
   */
  abstract HandlerSocketError carryOut(List<Request<?>> requests);

  abstract Client client();
}
