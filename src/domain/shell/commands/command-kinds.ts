import { type Taken, weakest } from '../syntax/use.ts'
import {
  ASKING,
  COPYING,
  DRY_OPTIONS,
  DRY_SHORT,
  INTERPRETERS,
  isOption,
  LOOKING_SUBCOMMANDS,
  listOf,
  programOf,
  RUNNERS,
  SEARCHING,
  SHELLS,
  SUBCOMMANDED,
  TELLING,
  WRAPPERS,
  type Wrapper,
} from './command-table.ts'
import { programIn, shellProgram } from './program-words.ts'

type Kind = 'does' | 'asks' | 'copies' | 'searches' | 'tells'

export const isSetting = (word: string): boolean => /^[A-Za-z_]\w*=/u.test(word)

const MOST_WRAPPERS = 20

/** What stands before the command that is meant, each with its own words: in `sudo -u a env X=1 timeout 5 make`, all but `make`. */
export function wrappersOf(words: readonly string[]): readonly (readonly string[])[] {
  const found: (readonly string[])[] = []
  for (let at = 0; found.length < MOST_WRAPPERS; ) {
    const next = skipOne(words, at)
    if (next === at || next >= words.length) break
    found.push(words.slice(at, next))
    at = next
  }
  return found
}

/** Whether one of them runs the command for what it reads, as `xargs` does. */
export const isFedBy = (wrappers: readonly (readonly string[])[]): boolean =>
  wrappers.some(([first]) => wrapperNamed(first)?.isFed)

/** How sure it is that the command behind these wrappers runs; `isFed`: there are words for those that run it for each. */
export const useBehind = (wrappers: readonly (readonly string[])[], isFed: boolean): Taken =>
  wrappers.reduce<Taken>((use, [first, ...options]) => {
    const wrapper = wrapperNamed(first)
    if (options.some((word) => word === '--dry-run' || wrapper?.idle?.test(word))) return 'told'
    const mayNot = wrapper?.isFed ? !isFed : false
    return mayNot || options.some((word) => wrapper?.hesitant?.test(word)) ? weakest(use, 'unsure') : use
  }, 'done')

function wrapperNamed(first = ''): Wrapper | undefined {
  const name = isSetting(first) ? '' : programOf(first)
  return Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
}

/** The command that is meant, behind its wrappers, with the name of its program. */
export function commandIn(words: readonly string[]): { readonly name: string; readonly words: readonly string[] } {
  const own = words.slice(wrappersOf(words).flat().length)
  return { name: programOf(own[0] ?? ''), words: own }
}

function skipOne(words: readonly string[], at: number): number {
  if (at < words.length - 1 && isSetting(words[at] ?? '')) return at + 1
  const name = programOf(words[at] ?? '')
  if (name === 'python' && words[at + 1] === '-m' && words[at + 2] !== undefined) return at + 2
  if (name === 'npx' || name === 'bunx' || name === 'pnpx' || name === 'uvx')
    return skipOptions(words, at + 1, '-p --package')
  const runner = `${name} ${words[at + 1] ?? ''}`
  if (Object.hasOwn(RUNNERS, runner)) return skipOptions(words, at + 2, RUNNERS[runner] ?? '')
  const wrapper = wrapperNamed(words[at])
  if (wrapper === undefined) return at
  if (name === 'command' && /^-[vV]/u.test(words[at + 1] ?? '')) return at
  return skipOptions(words, at + 1, wrapper.valued) + (wrapper.positional ?? 0)
}

function skipOptions(words: readonly string[], from: number, valued: string): number {
  const withValue = valued.split(' ')
  let at = from
  while (at < words.length && isOption(words[at] ?? '')) {
    if (words[at] === '--') return at + 1
    at += withValue.includes(words[at] ?? '') ? 2 : 1
  }
  return at
}

/** The subcommand, behind options and their values; null: there is none. */
export function subcommandOf(words: readonly string[]): string | null {
  let at = 1
  while (at < words.length && isOption(words[at] ?? ''))
    at += ['-C', '-c', '--git-dir', '--work-tree', '-n', '--namespace', '-R', '--repo', '--context', '-f'].includes(
      words[at] ?? '',
    )
      ? 2
      : 1
  return words[at] ?? null
}

/** Whether the command only shows what it would do, or tells of itself; not by an option that is `asked` for. */
export function isDry(name: string, words: readonly string[], asked: (word: string) => boolean = () => false): boolean {
  const sub = SUBCOMMANDED.has(name) ? `${name} ${subcommandOf(words) ?? ''}` : name
  const short = [...listOf(DRY_SHORT, name), ...listOf(DRY_SHORT, sub)]
  const options = ownOptions(name, words)
  if (options.some((word) => (isDryOption(word) || short.includes(word)) && !(word.startsWith('--') && asked(word))))
    return true
  const letter = short.find((option) => option.length === 2)?.[1]
  if (letter !== undefined && name !== 'node' && options.some((word) => isCluster(word) && word.includes(letter)))
    return true
  return options.length === 1 && ['-h', '-V', '--version', 'help', '-?'].includes(options[0] ?? '') && name !== 'sudo'
}

/** What stands behind the script of a shell or an interpreter is the script's, not the program's. */
function ownOptions(name: string, words: readonly string[]): readonly string[] {
  const handedOver = handedOverFrom(name, words)
  if (handedOver !== null) return words.slice(1, handedOver)
  if (SHELLS.has(name)) {
    const { code, file } = shellProgram(words)
    return words.slice(1, file ?? code[0] ?? undefined)
  }
  if (!Object.hasOwn(INTERPRETERS, name)) return words.slice(1)
  const { code, file } = programIn(name, words)
  return words.slice(1, file ?? code[0] ?? undefined)
}

/** What is handed to a script may mean the same to it. */
export const mayBeDry = (name: string, words: readonly string[], wanted: readonly string[]): boolean =>
  words
    .slice(name === 'go' ? 1 : 1 + ownOptions(name, words).length)
    .some((word) => (isDryOption(word) || word === '-h') && !wanted.includes(word))

const isDryOption = (word: string): boolean =>
  (DRY_OPTIONS.has(word) && word !== '--version') ||
  word === 'show-only' ||
  (word.startsWith('--dry-run=') && word !== '--dry-run=none' && word !== '--dry-run=false') ||
  COMPILES_ONLY.test(word)

/** `perl -MO=Deparse`, `ruby --dump=insns`: they show code and run none. */
const COMPILES_ONLY = /^(?:-MO=[A-Z]\w*|--dump=(?:insns|parsetree|syntax|yydebug)\b)/u

const isCluster = (word: string): boolean => /^-[A-Za-z]{2,5}$/u.test(word)

/** What a command does with its arguments, without the wrappers before it. */
export function kindOf(name: string, words: readonly string[]): Kind {
  if (TELLING.has(name)) return 'tells'
  if (ASKING.has(name)) return 'asks'
  const acts = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
  if (acts?.(words) === true) return 'does'
  if (DECLARING.has(name) && words.some((word) => /^-[a-zA-Z]*p/u.test(word))) return 'searches'
  if (SEARCHING.has(name) || isLookingSubcommand(name, words)) return 'searches'
  return COPYING.has(name) ? 'copies' : 'does'
}

const IP_CHANGES = 'add del delete set change replace append flush'.split(' ')

/** Whether one of these stands right behind the word. */
const follows = (words: readonly string[], word: string, next: string): boolean =>
  words.includes(word) && next.split(' ').includes(words[words.indexOf(word) + 1] ?? '')

/** With `-p` they print what is declared. */
const DECLARING = new Set(['declare', 'typeset', 'export', 'readonly'])

/** Commands that look, but for these words. */
const ACTS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  find: (words) => words.some(isFindAction),
  fd: (words) => words.some(isFindAction),
  sed: editsInPlace,
  awk: awkActs,
  gawk: awkActs,
  mawk: awkActs,
  sort: (words) => words.some((word) => /^-[a-zA-Z]*o/u.test(word) || word.startsWith('--output')),
  uniq: (words) => words.slice(1).filter((word) => !isOption(word) || word === '-').length > 1,
  date: (words) => words.some((word) => word === '-s' || word.startsWith('--set')),
  hostname: (words) => words.length > 1,
  exiftool: (words) => words.some((word) => /^-[^=]+=/u.test(word)),
  openssl: (words) => words.some((word) => ['-out', '-req', '-signkey', '-CA'].includes(word)),
  tee: () => true,
  tree: (words) => words.includes('-o'),
  git: (words) =>
    words.some((word) => word === '--output' || word.startsWith('--output=')) ||
    follows(words, 'reflog', 'expire delete'),
  go: (words) => follows(words, 'env', '-w -u'),
  ip: (words) => words.some((word) => IP_CHANGES.includes(word)),
  journalctl: (words) => words.some((word) => /^--(?:vacuum|rotate|flush|sync|relinquish|setup-keys)/u.test(word)),
  terraform: (words) =>
    follows(words, 'state', 'rm mv push replace-provider') || words.some((word) => word.startsWith('-out')),
  dmesg: (words) => words.some((word) => /^(?:-[a-zA-Z]*[cCDEn]|--clear|--read-clear)/u.test(word)),
  history: (words) => words.some((word) => /^-[a-z]*[cdwanr]/u.test(word)),
  hash: (words) => words.some((word) => /^-[a-z]*[rdp]/u.test(word)),
  xxd: (words) => words.filter((word) => !isOption(word)).length > 2,
  shuf: (words) => words.some((word) => word === '-o' || word.startsWith('--output')),
  shfmt: (words) => words.includes('-w'),
  yq: editsInPlace,
  gzip: () => true,
  gunzip: () => true,
}

const FIND_ACTIONS = [
  '-exec',
  '-execdir',
  '-ok',
  '-okdir',
  '-delete',
  '-fprint',
  '-fprintf',
  '-fls',
  '-x',
  '-X',
  '--exec',
  '--exec-batch',
]
/** Whether `find` or `fd` runs what follows this option. */
export const runsForFound = (word: string): boolean => /^-(?:(?:exec|ok)(?:dir)?|[xX]|-exec(?:-batch)?)$/u.test(word)
const isFindAction = (word: string): boolean => FIND_ACTIONS.includes(word)

export function editsInPlace(words: readonly string[]): boolean {
  return words.some((word) => /^-[nErszl]*i/u.test(word) || word.startsWith('--in-place'))
}

function awkActs(words: readonly string[]): boolean {
  const code = words.join(' ')
  if (words.some((word, at) => word === '-i' && words[at + 1] === 'inplace')) return true
  return (
    code.includes('system(') ||
    /(?:print|printf)[^>|;}]{0,500}[>|]{1,2} ?["A-Za-z(]/u.test(code) ||
    /\| ?getline/u.test(code)
  )
}

const LISTING =
  '-v -vv -a -r -l -n --list --show-current --contains --no-contains --merged --no-merged --points-at show get-url'.split(
    ' ',
  )
/** Subcommands of git that look with these words, and those that list without any. */
const GIT_LOOKS: Readonly<Record<string, readonly string[]>> = {
  bisect: ['log', 'view', 'visualize'],
  stash: ['list', 'show'],
  notes: ['list', 'show'],
  branch: LISTING,
  remote: LISTING,
  tag: LISTING.filter((word) => word !== '-a'),
  config: ['-l', '--list', '--get', '--get-all', '--get-regexp', 'get', 'list'],
}
const GIT_LISTED = ['branch', 'remote', 'tag', 'notes']

function isLookingSubcommand(name: string, words: readonly string[]): boolean {
  const looking = Object.hasOwn(LOOKING_SUBCOMMANDS, name) ? LOOKING_SUBCOMMANDS[name] : undefined
  if (looking === undefined) return false
  const sub = subcommandOf(words) ?? ''
  const second = words[words.indexOf(sub) + 1] ?? ''
  if (name === 'git' && Object.hasOwn(GIT_LOOKS, sub))
    return GIT_LOOKS[sub]?.includes(second) === true || (words.length === 2 && GIT_LISTED.includes(sub))
  if (name === 'gh') return looking.has(sub) || looking.has(second)
  if (
    ['docker', 'helm', 'conda', 'npm'].includes(name) &&
    ['image', 'container', 'repo', 'env', 'config', 'volume', 'network'].includes(sub)
  )
    return ['ls', 'list', 'inspect', 'get'].includes(second)
  return looking.has(sub) || words.slice(1, 3).some((word) => isOption(word) && looking.has(word))
}

/** Where the first word stands that is neither an option nor its value, behind `skip` words of the command’s own. */
export function firstCommand(words: readonly string[], valued: string, skip: number): number {
  const withValue = valued.split(' ')
  let at = 1
  for (let left = skip; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return at + 1
    if (withValue.includes(word)) at++
    else if (!word.startsWith('-') && left-- === 0) return at
  }
  return at
}

const CONTAINER_OPTIONS =
  '-e -u -w -v -p --name --network --env --user --workdir --volume --entrypoint -n -c --container --namespace --mount --env-file --platform -h --add-host --gpus -m --memory --cpus --hostname --ip --link -l --label --restart --pull --shm-size'

const SSH_OPTIONS = '-p -i -l -o -F -L -R -D -J -b -c -E -m -S -W -B -e -I -O -Q -w'

/** Where the command begins that another program or machine runs, options and all; null: there is none. */
export function handedOverFrom(name: string, words: readonly string[]): number | null {
  if (name === 'ssh') return firstCommand(words, SSH_OPTIONS, 1)
  if (name !== 'docker' && name !== 'podman' && name !== 'kubectl' && name !== 'docker-compose') return null
  const compose = words[1] === 'compose'
  const sub = words[compose ? 2 : 1] ?? ''
  if (sub !== 'exec' && sub !== 'run') return null
  const dashes = words.indexOf('--')
  if (dashes !== -1) return dashes + 1
  if (name === 'kubectl') return firstCommand(words, CONTAINER_OPTIONS, 2)
  return firstCommand(words, CONTAINER_OPTIONS, compose ? 2 : 1) + 1 // no option of its own stands behind the image
}
