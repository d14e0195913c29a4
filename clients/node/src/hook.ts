/** The program's hook. */
import type { Call } from "./connection.js";
import type { RequestHook } from "./options.js";

/**
 * Tells a hook, if there is one, of a call that began at `begin` and has ended. One that fails changes
 * nothing of it.
 */
export function tellHook(
  hook: RequestHook | undefined,
  call: Call<unknown>,
  begin: number,
  error: unknown,
): void {
  const seconds = (performance.now() - begin) / 1000;
  const table = call.table ? `${call.table.database}.${call.table.table}` : "";
  try {
    const told: unknown = hook?.(call.kind, table, seconds, error as Error | undefined);
    if (told instanceof Promise) told.catch(warn);
  } catch (failure) {
    warn(failure);
  }
}

function warn(failure: unknown): void {
  const what = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  process.emitWarning(`onRequest has failed: ${what}`, "HandlerSocketWarning");
}
