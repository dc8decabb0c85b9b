import { parseScript } from '../../domain/shell/script.ts'
import type { Act } from '../../domain/trajectory/trajectory.ts'
import { matchWords, soundsTimedOut } from '../tools/outcomes.ts'
import { type ArgumentKind, meaningOfKind, openCall, own } from '../tools/tool-table.ts'

/** Argument kinds of SWE-agent's own tools (tools/<bundle>/config.yaml), by the first word of an action; the form of an `edit` decides its kind. */
const WORDS: Readonly<Record<string, ArgumentKind>> = {
  ...{ open: 'reads', goto: 'reads', scroll_up: 'reads', scroll_down: 'reads', filemap: 'reads', view_image: 'reads' },
  ...{ search_dir: 'searches', search_file: 'searches', find_file: 'searches' },
  ...{ create: 'writes', insert: 'writes', append: 'writes' },
}
/** Shell syntax that may begin a second command on the line. */
const OPERATORS = [';', '&', '|', '<', '>', '`', '$(', '\n'] as const
const MAX_WORD = 40
/** The beginning of a result where `bash -n` rejects the command. */
const SWE_NOT_PARSED = 'Your bash command contained syntax errors and was NOT executed.'

/** Reads an action, a shell line whose first word may be a tool of the harness; its outcome is read from the observation. */
export function sweActOf(action: string, observation: string): Act | null {
  const text = action.trim()
  const head = text.slice(0, MAX_WORD)
  const word = head.split(/[\s]/, 1)[0] ?? ''
  const call = openCall(word === '' ? 'action' : word)
  call.outcome = outcomeOfAction(text, word, observation)
  return meaningOfKind(...kindOf(text, word), call).act
}

/** The kind of an action, and the path of its file. */
type ActionKind = readonly [kind: ArgumentKind, target: string | null]

function kindOf(text: string, word: string): ActionKind {
  const isOne = !OPERATORS.some((operator) => text.includes(operator))
  const words = isOne ? text.split(' ') : []
  if (word === 'edit') return [isRangeEdit(text) ? 'writes' : isOne || text.includes('\n') ? 'unknown' : 'shell', null]
  if (word === 'str_replace_editor') return editorKind(text)
  const kind = isOne ? own(WORDS, word) : undefined
  const isFile = kind !== undefined && (word === 'open' || word === 'create')
  return [kind ?? 'shell', isFile ? (words[1] ?? null) : null]
}

/** Recognizes `edit 1:1`, new lines, `end_of_edit`. */
function isRangeEdit(text: string): boolean {
  const line = text.indexOf('\n')
  const range = text.slice('edit '.length, line === -1 ? 0 : line)
  return range !== '' && [...range.slice(0, MAX_WORD)].every((char) => '0123456789: '.includes(char))
}

/** Returns the kind of an editor call on a shell line, by its command; the two sides of a replacement are not told apart. */
function editorKind(text: string): ActionKind {
  const [, command = '', path = null] = text.slice(0, 1000).split(/\s+/, 3)
  if (command === 'view') return [OPERATORS.some((operator) => text.includes(operator)) ? 'shell' : 'reads', path]
  return [command === 'create' || command === 'insert' ? 'writes' : 'unknown', path]
}

/**
 * Derives the outcome of an action. The harness blocks some commands with a text that repeats the command, and rejects texts that are no
 * command. A program can print such texts and repeat its own call, so they are certain only where no program ran: no shell parses the
 * action, or the action is the harness's own editor.
 */
function outcomeOfAction(action: string, word: string, observation: string): Act['call']['outcome'] {
  const outcome =
    matchWords('swe-agent', observation)?.outcome ?? (soundsTimedOut(observation) ? 'interrupted' : 'answered')
  if (outcome !== 'rejected') return outcome
  if (observation.startsWith(SWE_NOT_PARSED)) return isBroken(action) ? 'rejected' : 'interrupted'
  if (EDITORS.has(word)) return isSingleEditorCall(action) ? 'rejected' : 'interrupted'
  return observation.startsWith(`Operation '${action}' is not supported`) ? 'interrupted' : 'answered'
}

const isSingleEditorCall = (action: string): boolean =>
  isRangeEdit(action) || !OPERATORS.some((operator) => action.includes(operator))

const EDITORS: ReadonlySet<string> = new Set(['edit', 'insert', 'append'])

/** Tells whether a shell cannot parse the action. */
function isBroken(action: string): boolean {
  const script = parseScript(action)
  return script !== null && (script.errors?.length ?? 0) > 0
}
