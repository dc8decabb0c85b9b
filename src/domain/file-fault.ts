/** Words the reason for which a file cannot be used, by the system’s name of the error. */
export function fileFault(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return WORDS.get(code) ?? (typeof code === 'string' ? code : 'unknown error')
}

const WORDS: ReadonlyMap<unknown, string> = new Map([
  ['EACCES', 'this user may not'],
  ['EPERM', 'this user may not'],
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota of this user is used up'],
  ['EROFS', 'the disk can only be read'],
  ['EMFILE', 'this process has too many open files'],
  ['ENAMETOOLONG', 'the name is too long'],
])
