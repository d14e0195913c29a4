"""Django's caches of Redis and memcached, each on a table: django_cache.py."""

import os
import sys

import django
from django.conf import settings
from django.core.cache import caches

settings.configure(
    USE_TZ=True,
    CACHES={
        "redis": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{os.environ['PORT']}",
            "KEY_PREFIX": "cache",
        },
        "memcached": {
            "BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
            "LOCATION": f"127.0.0.1:{os.environ['MEMCACHED']}",
            "KEY_PREFIX": "cache",
        },
        "pylibmc": {
            "BACKEND": "django.core.cache.backends.memcached.PyLibMCCache",
            "LOCATION": f"127.0.0.1:{os.environ['MEMCACHED']}",
            "KEY_PREFIX": "cache",
        },
        "django-redis": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{os.environ['PORT']}",
            "KEY_PREFIX": "cache",
        },
    },
)
sys.path.append("/usr/lib/python3/dist-packages")  # pylibmc is Debian's
django.setup()


def check(found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{found!r} instead of {wanted!r}")


for name in settings.CACHES:
    cache = caches[name]
    check(cache.get("a"), None)
    check(cache.get("a", "other"), "other")
    cache.set("a", {"list": [1, 2.5, "ünï"]}, 100)
    check(cache.get("a"), {"list": [1, 2.5, "ünï"]})
    check(cache.add("a", 1), False)
    check(cache.add("b", 1), True)
    check(cache.incr("b", 41), 42)
    check(cache.decr("b"), 41)
    check(cache.get_or_set("c", lambda: "made"), "made")
    check("c" in cache, True)
    check(cache.set_many({"d": 1, "e": "two"}) or [], [])
    check(cache.get_many(["d", "e", "none"]), {"d": 1, "e": "two"})
    check(cache.touch("a", 50), True)
    check(cache.touch("none", 50), False)
    cache.set("f", "none left", 0)
    check(cache.get("f"), None)
    cache.set("f", "none left", -1)
    check(cache.get("f"), None)
    cache.delete_many(["d", "e"])
    check(cache.delete("c"), True)
    check(cache.delete("c"), False)
    check(cache.has_key("a"), True)
    try:
        cache.incr("none")
        sys.exit("a key that is not there was counted")
    except (ValueError, TypeError):  # the latter is that of django-redis
        pass
    try:
        cache.clear()
        sys.exit("clear was served")
    except Exception as told:  # of the client's library
        check("not served" in str(told), True)
    cache.delete_many(["a", "b"])
print(f"ok Django {django.get_version()}")
