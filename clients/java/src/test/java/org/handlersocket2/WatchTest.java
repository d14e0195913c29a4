package org.handlersocket2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchTest {
  private final CountDownLatch broken = new CountDownLatch(1);
  private final Watch watch = new Watch(broken::countDown);

  private void exchange(long millis) {
    watch.begin(Deadline.in(TimeUnit.MILLISECONDS.toNanos(millis)));
  }

  @Test
  void theTimerOfAnExchangeThatEndedLooksAfterTheNext() throws Exception {
    exchange(20);
    assertTrue(watch.finish());
    exchange(40);
    assertTrue(broken.await(60, TimeUnit.SECONDS));
    assertFalse(watch.finish());
  }

  @Test
  void aShorterTimeoutIsNotThatOfTheTimerBefore() throws Exception {
    exchange(3_600_000);
    assertTrue(watch.finish());
    exchange(20);
    assertTrue(broken.await(60, TimeUnit.SECONDS));
  }

  @Test
  void anExchangeWithoutATimeoutIsNotBrokenOff() throws Exception {
    CountDownLatch fired = new CountDownLatch(1);
    exchange(20);
    assertTrue(watch.finish());
    watch.begin(Deadline.in(0));
    new Watch(fired::countDown).begin(Deadline.in(TimeUnit.MILLISECONDS.toNanos(40)));
    assertTrue(fired.await(60, TimeUnit.SECONDS)); // The timer before it has fired, too.
    assertEquals(1, broken.getCount());
    assertTrue(watch.finish());
  }
}
