<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** An index has other columns by now: it was dropped, and made again under its name. No program sees it. */
final class Altered extends \Exception
{
}
