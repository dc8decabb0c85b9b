/**
 * Commands that take away, stop or block what they are given. Where an instruction asks to set something up, a word of it in such a command is
 * rather its opposite; a whole command that is an anchor itself is compared by its words and does not come here.
 */
const PROGRAMS: ReadonlySet<string> = new Set('rm rmdir unlink shred trash kill pkill killall fuser'.split(' '))
const SUBCOMMANDS: ReadonlySet<string> = new Set(
  'uninstall remove rm purge delete del destroy disable stop down unset revoke prune autoremove unlink deactivate'.split(
    ' ',
  ),
)

export function takesAway(name: string, words: readonly string[]): boolean {
  if (PROGRAMS.has(name)) return true
  if (name === 'chmod') return words.some((word) => /^[augo]*-[rwx]+$/u.test(word) || word === '000')
  return words.slice(1, 4).some((word) => SUBCOMMANDS.has(word))
}
