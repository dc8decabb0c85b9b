import { baseName } from '../../acts/paths.ts'
import { wordSet } from '../../text/words.ts'
import type { ScriptContext, Taken } from '../syntax/use.ts'

/**
 * What comes of text that is written to a file: prose is read by people, a script of a shell runs when it is run, a program too, but it
 * can be part of what is being built, `automatic` files are run by another program later, all others are settings, data or source.
 */
type FileKind = 'prose' | 'script' | 'program' | 'automatic' | 'source' | 'other'

const PROSE_ENDINGS = wordSet('md markdown txt rst log adoc org tex html htm csv tsv out patch diff')
const SCRIPT_ENDINGS = wordSet('sh bash zsh ksh fish ps1 bat cmd')
const PROGRAM_ENDINGS = wordSet('py js mjs cjs rb pl php lua r awk sql')
const SOURCE_ENDINGS = wordSet(
  'ts tsx jsx c h cc cpp hpp cs java kt rs go swift scala hs ml ex exs erl clj css scss vue svelte ipynb',
)
const AUTOMATIC_NAMES = wordSet(`makefile gnumakefile dockerfile containerfile jenkinsfile procfile vagrantfile
  rakefile justfile crontab package.json tox.ini noxfile.py .bashrc .bash_profile .profile .zshrc .zprofile .envrc
  .gitlab-ci.yml .travis.yml .pre-commit-config.yaml azure-pipelines.yml docker-compose.yml docker-compose.yaml
  compose.yml compose.yaml pre-commit post-commit pre-push post-merge rc.local authorized_keys setup.py conftest.py`)
const AUTOMATIC_FOLDERS =
  '/.github/ /cron. /.git/hooks/ /.husky/ /systemd/ /init.d/ /.circleci/ /cron/ /profile.d/'.split(' ')
const AUTOMATIC_ENDINGS = ['service', 'timer', 'mk', 'cron']
const PROSE_NAMES = wordSet('readme notes report todo changelog summary license authors contributing commit_editmsg')

function fileKind(path: string, text: string): FileKind {
  const whole = `/${path.toLowerCase()}`
  const name = baseName(whole)
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 ? name.slice(dot + 1) : ''
  const stem = dot > 0 ? name.slice(0, dot) : name
  if (AUTOMATIC_NAMES.has(name) || AUTOMATIC_NAMES.has(stem)) return 'automatic'
  if (AUTOMATIC_ENDINGS.includes(ending) || AUTOMATIC_FOLDERS.some((folder) => whole.includes(folder)))
    return 'automatic'
  if (PROSE_ENDINGS.has(ending)) return 'prose'
  if (PROGRAM_ENDINGS.has(ending)) return 'program'
  if (SCRIPT_ENDINGS.has(ending) || text.startsWith('#!')) return 'script'
  if (SOURCE_ENDINGS.has(ending)) return 'source'
  return PROSE_NAMES.has(stem) ? 'prose' : 'other'
}

/**
 * What writing proves: of a string that is no command, of a setting (`DEBUG=1`), of one by which something is called (an address, options), and of a
 * command in the text. A word in a file that the instruction does not name can be in a list of what is refused.
 */
interface WritingUses {
  readonly asString: Taken
  readonly asSetting: Taken
  readonly asCall: Taken
  readonly asCommand: Taken
}

const uses = (asString: Taken, asSetting: Taken, asCommand: Taken): WritingUses => ({
  ...{ asString, asSetting, asCommand },
  asCall: asString,
})

const USES: Readonly<Record<FileKind, WritingUses>> = {
  prose: uses('unsure', 'unsure', 'told'),
  script: uses('unsure', 'unsure', 'told'),
  program: uses('unsure', 'done', 'told'),
  automatic: uses('unsure', 'done', 'unsure'),
  source: uses('unsure', 'done', 'told'),
  other: uses('unsure', 'done', 'unsure'),
}

/** A file that the instruction names was to be written, whatever is in it. Null: the call does not say which file. */
export function usesOfWriting(path: string | null, text: string, context: ScriptContext): WritingUses {
  if (path === null) return uses('done', 'done', 'unsure')
  if (context.names(path)) return uses('done', 'done', 'done')
  return USES[fileKind(path, text)]
}

const HASHED = wordSet('py sh bash zsh rb pl yml yaml toml conf cfg ini env mk r properties')
const SLASHED = wordSet('js mjs cjs ts tsx jsx c h cc cpp java go rs cs kt swift php json jsonc json5')

/** What begins a comment line in the file; empty: nothing does. */
function commentMarks(path: string | null, text: string): readonly string[] {
  const name = (path ?? '').toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (HASHED.has(ending) || text.startsWith('#!')) return ['#']
  if (SLASHED.has(ending)) return ['//', '*', '/*']
  if (ending === 'sql' || ending === 'lua') return ['--']
  const kind = path === null ? 'other' : fileKind(path, text)
  return kind === 'automatic' ? ['#'] : []
}

/** The text of a file and its comments, whole lines and what stands behind the text of one. */
export function withoutComments(path: string | null, text: string): { live: string; comments: string } {
  const marks = commentMarks(path, text)
  if (marks.length === 0) return { live: text, comments: '' }
  const live: string[] = []
  const comments: string[] = []
  for (const line of text.split('\n')) {
    const start = line.trimStart()
    const isComment = marks.some((mark) => start.startsWith(mark)) && !start.startsWith('#!')
    const at = isComment ? 0 : trailingComment(line, marks[0] ?? '')
    if (at !== 0) live.push(at === -1 ? line : line.slice(0, at))
    if (at !== -1) comments.push(line.slice(at))
  }
  return { live: live.join('\n'), comments: comments.join('\n') }
}

/** Where a comment begins behind text; a mark inside of quotation marks is none. */
function trailingComment(line: string, mark: string): number {
  const at = line.indexOf(` ${mark} `)
  return at === -1 || '"\'`'.split('').some((quote) => line.slice(0, at).split(quote).length % 2 === 0) ? -1 : at
}
