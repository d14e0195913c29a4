package org.handlersocket2;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.handlersocket2.protocol.Reply;

/**
 * A call that is not made yet, for a {@link Pipeline}.
 *
 * @param <T> its result
 */
public final class Call<T> {
  /** The request of a call, and how its reply is read. */
  static final class Plan<T> {
    final Request request;
    final Function<Reply, T> decode;

    Plan(Request request, Function<Reply, T> decode) {
      this.request = request;
      this.decode = decode;
    }
  }

  private final Executor on;
  private final Supplier<Plan<T>> plan;

  /** The plan may have to ask for a table's columns. */
  Call(Executor on, Supplier<Plan<T>> plan) {
    this.on = on;
    this.plan = plan;
  }

  <U> Call<U> then(Function<T, U> convert) {
    return new Call<>(
        on,
        () -> {
          Plan<T> first = plan.get();
          return new Plan<>(first.request, first.decode.andThen(convert));
        });
  }

  Executor on() {
    return on;
  }

  /** Makes the call. */
  T run() {
    AtomicReference<Result<T>> result = new AtomicReference<>();
    Request request = prepare(System.nanoTime(), result::set);
    on.carryOut(List.of(request));
    return result.get().get();
  }

  /** Makes the request; the result is given when its reply has come. */
  Request prepare(long began, java.util.function.Consumer<Result<T>> give) {
    Plan<T> made = plan.get();
    Request request = made.request;
    request.done =
        (reply, error) -> {
          Result<T> result = error == null ? read(made, reply) : Result.failed(error);
          settle(request, result.error(), began);
          give.accept(result);
          return result.error();
        };
    return request;
  }

  private static <T> Result<T> read(Plan<T> made, Reply reply) {
    try {
      return Result.of(made.decode.apply(reply));
    } catch (HandlerSocketError e) {
      return Result.failed(e);
    }
  }

  /** Calls the hook, and forgets the columns of a table that has been altered. */
  private void settle(Request request, HandlerSocketError error, long began) {
    if (error instanceof NotFoundError || error instanceof ProtocolError) {
      on.client().layouts.remove(request.table);
    }
    RequestHook hook = on.client().options.hook;
    if (hook != null) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - began);
      hook.onRequest(request.kind, request.table.toString(), elapsed, error);
    }
  }
}
