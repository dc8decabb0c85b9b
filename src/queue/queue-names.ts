/** Names of queues by judge. pg-boss takes letters, digits, `_ - . /`; every other character of a judge’s name, and `_`, is written as `_HEX_`. */
const ITEMS = 'items/'
const PROVIDER = 'provider'

export const queueName = (judge: string | null): string =>
  judge === null
    ? PROVIDER
    : ITEMS + judge.replace(/[^A-Za-z0-9.-]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`)

/** Null for a queue of something else. */
export const judgeOf = (queue: string): string | null =>
  queue.startsWith(ITEMS)
    ? queue
        .slice(ITEMS.length)
        .replace(/_([0-9a-f]+)_/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    : null
