/**
 * Matches a path against a glob: `*` and `?` within one name, `**` for any number of folders; brackets and braces are plain letters. A
 * comparison costs at most the product of both lengths.
 */
export function matchesGlob(glob: string, path: string): boolean {
  const wanted = namesOf(glob)
  const names = namesOf(path)
  // reached[n]: the globs up to here match the first n names.
  let reached = new Uint8Array(names.length + 1)
  reached[0] = 1
  for (const segment of wanted) {
    const next = new Uint8Array(names.length + 1)
    for (let at = 0; at <= names.length; at++) {
      if (segment === '**') next[at] = (reached[at] ?? 0) | (at > 0 ? (next[at - 1] ?? 0) : 0)
      else if (at > 0 && reached[at - 1] === 1 && matchesName(segment, names[at - 1] ?? '')) next[at] = 1
    }
    reached = next
  }
  return reached[names.length] === 1
}

/** Matches one name against `*` and `?`. After a mismatch the last star absorbs one more character, so no alignment is tried twice. */
export function matchesName(glob: string, name: string): boolean {
  let at = 0
  let wanted = 0
  let star = -1
  let absorbed = 0
  while (at < name.length) {
    if (glob[wanted] === '*') {
      star = wanted++
      absorbed = at
    } else if (wanted < glob.length && (glob[wanted] === '?' || glob[wanted] === name[at])) {
      wanted++
      at++
    } else if (star !== -1) {
      wanted = star + 1
      at = ++absorbed
    } else return false
  }
  while (glob[wanted] === '*') wanted++
  return wanted === glob.length
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.')
