/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser has taken it once the click is handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** What may stand in a file’s name everywhere. */
export const fileNameOf = (...parts: readonly (string | null)[]): string =>
  parts
    .flatMap((part) => (part === null || part === '' ? [] : [part.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60)]))
    .join('-')
