import { type Call, frameOf, mention, mentionAll, runText } from '../syntax/call.ts'
import { wholeOf } from '../syntax/expand.ts'
import { LONGEST_SCRIPT } from '../syntax/parse-script.ts'
import { applyPatch, copyFiles, readsInput, removeFiles, sedScripts, takeInto } from '../syntax/put-into-file.ts'
import { weakest } from '../syntax/use.ts'
import { editsInPlace, firstCommand, handedOverFrom, runsForFound, subcommandOf } from './command-kinds.ts'
import { isOption } from './command-table.ts'
import { FLOW, type Special } from './flow-commands.ts'
import type { Field, Machine } from './machine.ts'
import type { Status } from './outcome.ts'
import { act, runKind } from './run-kind.ts'
import { editInPlace, runInput, runSourced } from './run-program.ts'
import { setNamedUnknown, setUnknown, shiftArguments, takeText, takeVariables, unset } from './set-variables.ts'

/** One way for programs of several names. */
const named = (names: string, special: Special): Record<string, Special> =>
  Object.fromEntries(names.split(' ').map((name) => [name, special]))

const SED_ACTS = /(?:^|[;{}/|,#@\d$ ])[gpiImM]{0,5}[we](?:\s|$)/mu

/** Commands that are more than a kind. */
export const SPECIAL: Readonly<Record<string, Special>> = {
  true: () => true,
  ':': (machine, { fields }) => {
    mentionAll(machine, fields, 'told', 'told')
    return true
  },
  false: () => false,
  ...FLOW,
  echo: (machine, call) => print(machine, call, `${echoed(call.words)}\n`),
  printf: (machine, call) => {
    if (call.words[1] === '-v') setUnknown(machine, call.words.slice(2, 3), call.scope)
    return print(machine, call, formatted(call.words))
  },
  tee: (machine, { words, fields, scope }) => {
    const paths = words.slice(1).filter((word) => !word.startsWith('-') && !word.startsWith('/dev/'))
    mentionAll(machine, fields, weakest('done', scope.use), 'told')
    const adds = words.some((word) => word === '--append' || /^-[a-z]*a/u.test(word))
    if (!adds) for (const path of paths) machine.files.replace(path, scope.use)
    for (const piece of scope.input) for (const path of paths) machine.write(path, piece, scope.use)
    for (const piece of scope.input) if (scope.out.pieces !== null || paths.length === 0) machine.emit(piece, scope)
    return null
  },
  sponge: (machine, call) => takeInto(machine, call, call.words.at(-1) ?? null),
  dd: (machine, call) => takeInto(machine, call, call.words.find((word) => word.startsWith('of='))?.slice(3) ?? null),
  sort: (machine, call) => {
    const at = call.words.findIndex((word) => word === '-o' || word === '--output')
    return at === -1 ? runKind(machine, call) : takeInto(machine, call, call.words[at + 1] ?? null)
  },
  cp: (machine, call) =>
    readsInput(call.words)
      ? takeInto(machine, call, call.words.at(-1) ?? null)
      : act(machine, copyFiles(machine, call)),
  ...named('mv ln', (machine, call) => act(machine, copyFiles(machine, call))),
  ...named('rm unlink', (machine, call) => {
    removeFiles(machine, call)
    return act(machine, call)
  }),
  install: (machine, call) =>
    readsInput(call.words) ? takeInto(machine, call, call.words.at(-1) ?? null) : act(machine, call),
  eval: (machine, { words, fields, scope }) => {
    const [, only, ...more] = fields
    const frame =
      only !== undefined && more.length === 0
        ? frameOf(machine, only)
        : wholeOf(machine.frame, only?.start ?? 0, more.at(-1)?.end ?? 0)
    runText(machine, words.slice(1).join(' '), frame, scope)
    takeText(machine, words.join(' '))
    return null
  },
  ...named('source .', (machine, call) => runSourced(machine, call)),
  ssh: (machine, call) => runRemote(machine, call, handedOverFrom(call.name, call.words) ?? call.words.length),
  ...named('docker podman kubectl docker-compose', (machine, call) => runContained(machine, call)),
  ...named('su runuser script vagrant nix-shell', (machine, call) => runOption(machine, call)),
  watch: (machine, call) => runRemote(machine, call, 1),
  ...named('find fd', (machine, call) => runFound(machine, call)),
  sed: (machine, call) => {
    if (!editsInPlace(call.words)) {
      for (const at of sedScripts(call.words)) {
        const script = call.fields[at]
        // Its commands `w` and `e` write and run.
        if (script !== undefined && SED_ACTS.test(script.text)) mention(machine, script, 'unsure', 'unsure')
      }
      return runKind(machine, call)
    }
    return editInPlace(machine, call, sedScripts(call.words))
  },
  ...named('patch apply_patch', (machine, call) => applyPatch(machine, call)),
  git: (machine, call) => {
    const sub = subcommandOf(call.words) ?? ''
    return ['apply', 'am'].includes(sub) && call.scope.input.length > 0
      ? applyPatch(machine, call)
      : runKind(machine, call)
  },
  ...named('ed ex vim vi nvim', (machine, { fields, scope }) => {
    for (const piece of scope.input) mention(machine, { ...piece, verbatim: null }, 'unsure', 'unsure')
    return mentionAll(machine, fields, 'unsure', 'unsure')
  }),
  make: (machine, call) => {
    const at = call.words.findIndex((word) => word === '-f' || word === '--file')
    if (at !== -1) machine.record.runs.add(call.words[at + 1] ?? '')
    return runKind(machine, call)
  },
  ...named('read mapfile readarray', takeVariables),
  unset: (machine, call) => {
    unset(machine, call)
    return runKind(machine, call)
  },
  ...named('let getopts', (machine, call) => {
    setNamedUnknown(machine, call)
    return runKind(machine, call)
  }),
  shift: (machine, call) => {
    shiftArguments(machine, call)
    return null
  },
  trap: (machine, { words, fields, scope }) => {
    const script = fields[1]
    if (script !== undefined && words.length > 2)
      machine.process(() => runText(machine, script.text, frameOf(machine, script), { ...scope, use: 'unsure' }))
    return null
  },
  ...named('cd pushd popd', (machine, call) => {
    enter(machine, call)
    return act(machine, call)
  }),
  alias: (machine, { fields }) => mentionAll(machine, fields, 'unsure', 'unsure'),
}

/** Folders with a name; others lead back, or are not known. */
const PLAIN_FOLDER = /^(?!-|~)(?!.*(?:\.\.|[$`*?])).+$/u

function enter(machine: Machine, { name, words, scope }: Call): void {
  const to = words.slice(1).find((word) => word !== '--') ?? ''
  if (name === 'popd' || scope.use !== 'done' || !PLAIN_FOLDER.test(to)) machine.folder = null
  else if (to.startsWith('/')) machine.folder = to
  else if (machine.folder !== null) machine.folder = machine.folder === '' ? to : `${machine.folder}/${to}`
  if ((machine.folder ?? '').length > LONGEST_FOLDER) machine.folder = null
}

const LONGEST_FOLDER = 200

/** What `echo` and `printf` print goes where their output goes. */
function print(machine: Machine, { name, fields, scope }: Call, text: string): Status {
  const first = fields[1]
  const start = first?.start ?? fields[0]?.start ?? 0
  const end = fields.at(-1)?.end ?? start
  machine.paint(fields[0]?.start ?? 0, fields[0]?.end ?? 0, 'told')
  const last = fields.at(-1)
  const verbatim = last !== undefined && last === first && last.verbatim !== null && text.startsWith(last.text)
  // Where an instruction asks to print something, printing it may be the act.
  const isShown = scope.out.pieces === null && scope.out.flow === 'shown'
  if (isShown && machine.context.says(name)) machine.record.say(text, 'unsure', 'unsure')
  machine.emit({ text, start: verbatim ? (last.verbatim ?? start) : start, end, frame: machine.frame, verbatim }, scope)
  return true
}

function echoed(words: readonly string[]): string {
  let at = 1
  let escapes = false
  while (/^-[neE]+$/u.test(words[at] ?? '')) {
    if (words[at]?.includes('e') === true) escapes = true
    at++
  }
  const text = words.slice(at).join(' ')
  return escapes ? withoutEscapes(text) : text
}

/** `printf` with its arguments put in; a format that is used again prints each on a line of its own, or so it seems to a search. */
function formatted(words: readonly string[]): string {
  const at = words[1] === '--' ? 2 : words[1] === '-v' ? 4 : 1
  const format = withoutEscapes(words[at] ?? '')
  const values = words.slice(at + 1)
  const holes = format.split(/%[-+ 0-9.]*[sdbqi]/u)
  if (holes.length === 1) return format
  let out = ''
  for (let next = 0; (next === 0 || next < values.length) && out.length < LONGEST_SCRIPT; next += holes.length - 1)
    out += holes.map((text, index) => (index === 0 ? text : (values[next + index - 1] ?? '') + text)).join('')
  return out
}

const withoutEscapes = (text: string): string =>
  text.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"')

/** `ssh host 'a && b'`: the words behind the host are one line of a shell. */
function runRemote(machine: Machine, { words, fields, scope }: Call, from: number): Status {
  mentionAll(machine, fields.slice(0, from), weakest('done', scope.use), 'told')
  const [first, ...more] = fields.slice(from)
  if (first === undefined) {
    // The first lines may answer its questions, and it may not come up at all.
    if (machine.isTyped) machine.perhapsLeft.add('exit')
    machine.process(() => {
      runInput(machine, scope)
    }, 'nothing')
    return null
  }
  const frame =
    more.length === 0 ? frameOf(machine, first) : wholeOf(machine.frame, first.start, more.at(-1)?.end ?? first.end)
  machine.process(() => runText(machine, words.slice(from).join(' '), frame, scope), 'nothing')
  return null
}

/** `docker exec c cmd`, `docker run image cmd`, `kubectl exec pod -- cmd`. */
function runContained(machine: Machine, call: Call): Status {
  const { words, fields } = call
  const at = handedOverFrom(call.name, words)
  if (at === null) return runKind(machine, call)
  return runBehind(machine, call, at, entryPoint(fields.slice(0, at)))
}

/** The image gets the words behind its name; its entry point is what runs: `--entrypoint sh`, `--entrypoint=sh`; an empty one is none. */
function entryPoint(fields: readonly Field[]): Field[] {
  const at = fields.findIndex(({ text }) => /^--entrypoint(?:=|$)/u.test(text))
  const [option, value] = at === -1 ? [] : fields.slice(at, at + 2)
  const entry = option?.text.includes('=')
    ? { ...option, text: option.text.slice('--entrypoint='.length), verbatim: null }
    : value
  return entry === undefined || entry.text === '' ? [] : [entry]
}

function runBehind(machine: Machine, { fields, scope }: Call, at: number, first: readonly Field[] = []): Status {
  mentionAll(machine, fields.slice(0, at), weakest('done', scope.use), 'told')
  const run = [...first, ...fields.slice(at)]
  const work = (): Status => machine.deeper(() => machine.evaluate.fields(machine, run, scope))
  if (run.length > 0) machine.process(work, 'nothing')
  return null
}

/** `su -c 'command'`, `script -qc 'command'`. */
function runOption(machine: Machine, call: Call): Status {
  const at = call.words.findIndex((word) => word === '--command' || word === '--run' || /^-[a-zA-Z]*c$/u.test(word))
  const field = at === -1 ? undefined : call.fields[at + 1]
  if (call.name === 'runuser' && call.words.includes('-u'))
    return runBehind(machine, call, firstCommand(call.words, '-u -g -G', 0))
  if (field === undefined)
    return call.name === 'vagrant' ? runKind(machine, call) : runRemote(machine, call, call.fields.length)
  mentionAll(
    machine,
    call.fields.filter((one) => one !== field),
    weakest('done', call.scope.use),
    'told',
  )
  machine.process(() => runText(machine, field.text, frameOf(machine, field), call.scope), 'exported')
  return null
}

/** `find -exec cmd {} ;` runs the command for what it finds: with conditions before it, that may be nothing. */
function runFound(machine: Machine, call: Call): Status {
  const { words, fields, scope } = call
  const at = words.findIndex(runsForFound)
  if (at === -1) return runKind(machine, call)
  const end = words.findIndex((word, place) => place > at && (word === ';' || word === '+' || word === '\\;'))
  const mayFindNothing = call.name === 'fd' || words.slice(1, at).some((word) => isOption(word) && word !== '-maxdepth')
  const use = mayFindNothing || words[at]?.startsWith('-ok') ? 'unsure' : scope.use
  mentionAll(machine, fields.slice(0, at), 'unsure', 'told')
  const run = fields.slice(at + 1, end === -1 ? undefined : end)
  const work = (): Status => machine.deeper(() => machine.evaluate.fields(machine, run, { ...scope, use, input: [] }))
  machine.process(work, 'exported')
  return null
}
