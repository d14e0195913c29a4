"""What the two Python drivers share: comparing, counting, and the answer at the end.

Python 2.7 (CPython or Jython), because the clients are written in it.
"""
import os
import sys
import threading
import traceback


class Difference(Exception):
    pass


def expect(what, got, wanted):
    if got != wanted:
        raise Difference('%s: got %r instead of %r' % (what, got, wanted))


def expect_error(what, kind, text, call, *arguments, **options):
    """The call must raise an exception of this kind whose message ends with the text."""
    try:
        result = call(*arguments, **options)
    except kind as error:
        if not str(error).endswith(text):
            raise Difference('%s: got the error %r instead of %r' % (what, str(error), text))
        return
    raise Difference('%s: got %r instead of the error %r' % (what, result, text))


def give_up_after(seconds):
    """Ends a client that waits for a reply for ever."""
    def stop():
        sys.stdout.write('no answer within %d seconds\n' % seconds)
        sys.stdout.flush()
        os._exit(1)
    timer = threading.Timer(seconds, stop)
    timer.setDaemon(True)
    timer.start()


def run(language, client, drive):
    """drive(host, port, port_wr, table); prints `ok` or the difference, and ends the process."""
    host, port, port_wr, table = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    give_up_after(60)
    status = 1
    try:
        drive(host, port, port_wr, table)
        sys.stdout.write('ok %s %s\n' % (language, client))
        status = 0
    except Difference as difference:
        sys.stdout.write('%s\n' % difference)
    except Exception:
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    os._exit(status)
