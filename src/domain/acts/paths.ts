/** The last name of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** How a path is remembered: `./a//b` and `a/b` are one file. */
export function normalPath(path: string): string {
  const plain = path.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0))
  return plain.join('/')
}
