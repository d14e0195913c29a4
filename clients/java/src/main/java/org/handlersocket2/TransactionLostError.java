package org.handlersocket2;

/** The server has rolled the transaction back. Begin it again. */
public class TransactionLostError extends ServerError {
  private static final long serialVersionUID = 1L;

  TransactionLostError(int code, String text, int number) {
    super(code, text, number);
  }
}
