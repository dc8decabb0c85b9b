/** A slow and obvious JSON parser that knows what `JSON.parse` forgets: a key that stands twice in one object. */
export function hasRepeatedKey(text: string): boolean {
  let at = 0
  let repeated = false
  const skip = (): void => {
    while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  }
  const string = (): string => {
    const start = at++
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at++
    return JSON.parse(text.slice(start, at)) as string
  }
  const members = (close: string, one: () => void): void => {
    at++
    skip()
    if (text[at] === close) {
      at++
      return
    }
    for (;;) {
      one()
      skip()
      if (text[at++] === close) return
    }
  }
  const value = (): void => {
    skip()
    if (text[at] === '"') string()
    else if (text[at] === '[') members(']', value)
    else if (text[at] === '{') {
      const keys = new Set<string>()
      members('}', () => {
        skip()
        const key = string()
        repeated ||= keys.has(key)
        keys.add(key)
        skip()
        at++
        value()
      })
    } else while (at < text.length && !',]} \t\r\n'.includes(text[at] ?? '')) at++
  }
  value()
  return repeated
}

/** How deep arrays and objects stand in each other. */
export function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most: number, member) => Math.max(most, depthOf(member)), 0)
}

/** Whether a name or a text of a value holds half of a surrogate pair. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => !name.isWellFormed() || hasLoneSurrogate(member))
}
