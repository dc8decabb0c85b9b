import { setTimeout as delay } from 'node:timers/promises'

/**
 * What a stop waits for its stores, after the drain: with 25 s before and 3 s for the last spans it ends within the 40 s that the
 * manifests in `deploy/` leave it. A database that does not answer would hold it for more than a minute; leases and connections that
 * are not given back run out by themselves.
 */
const CLOSE_MS = 8_000

/** Whether it was closed in time. Rejects with what closing rejects with in that time. */
export const closeInTime = (close: () => Promise<void>): Promise<boolean> =>
  Promise.race([close().then(() => true), delay(CLOSE_MS, false, { ref: false })])

export const NOT_CLOSED =
  'stopping: the database did not answer; leases and connections that were held run out by themselves'
