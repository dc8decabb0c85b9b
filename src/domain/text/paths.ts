/** Tells whether a text is an address, and not a query. */
export const isAddress = (text: string): boolean => /^https?:\/\/\S+$/u.test(text.trim())

/** Takes the last name of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Writes a path without empty and `.` segments: `./a//b` and `a/b` are one file. */
export function normalPath(path: string): string {
  const plain = path.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0))
  return plain.join('/')
}
