import { partAt } from '../../domain/evidence/observations.ts'
import type { Part, Position, Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { SurfaceCategory } from '../../schemas/vocabulary.ts'

const SOURCE = 'py js ts tsx jsx c h cc cpp hpp java go rs rb php sh pl cs kt swift scala lua hs ml r jl sql'.split(' ')
const DATA = 'csv tsv json jsonl yaml yml toml ini cfg conf xml txt md rst fasta fa log dat html lock env'.split(' ')
const MEDIA = 'png jpg jpeg gif webp mp4 mov avi mkv mp3 wav ogg flac pdf'.split(' ')
const READERS = new Set(
  'cat less more head tail sed awk grep rg bat view nl read_file str_replace_editor view_file open'.split(' '),
)
/** Bounds a path above the limit of every system. */
const MAX_PATH = 4096
const MEDIA_TOOLS = new Set('ffmpeg ffprobe tesseract exiftool convert identify'.split(' '))

/** Files of words or settings whose names have no extension. */
const PLAIN = 'readme makefile gnumakefile dockerfile license copying notice authors contributing changelog'.split(' ')

/** Guesses the category of the surface that carried the instructions, from the action that produced the output. */
export function guessCategory(trajectory: Trajectory, at: Position | null): SurfaceCategory {
  const part = at === null ? null : partAt(trajectory, at)
  if (at === null || part === null || part.actor !== 'tool_output') return 'other'
  if (part.media) return 'binary_media'
  const actions = actionsBefore(trajectory, at)
  const read = fileRead(actions, part.name)
  const kind = read === null ? null : categoryOfFile(read)
  if (kind !== null) return kind
  if (actions.length === 0) return 'cli_tool_output'
  const action = actions
    .map(({ name, text }) => `${name} ${text}`)
    .join('\n')
    .slice(0, 4000)
  const words = wordsOf(action)
  if (words.some((word) => MEDIA_TOOLS.has(word) || MEDIA.includes(extensionOf(word)))) return 'binary_media'
  const reads = words.some((word) => READERS.has(word)) || !action.includes(' ')
  if (reads && words.some((word) => SOURCE.includes(extensionOf(word)))) return 'source_code_comment'
  if (reads && words.some((word) => DATA.includes(extensionOf(word)) || word.startsWith('README'))) return 'data_file'
  return 'cli_tool_output'
}

/** Returns the actions of the same step, or of the nearest of two steps before it that has any. */
function actionsBefore(trajectory: Trajectory, at: Position): readonly Part[] {
  for (let index = at.step; index >= 0 && index >= at.step - 2; index--) {
    const actions = (trajectory.steps[index]?.parts ?? []).filter((part) => part.actor === 'agent_action')
    if (actions.length > 0) return actions
  }
  return []
}

/** Returns the file that a tool read: from the tool that the output names, else from any; null where several are possible. */
function fileRead(actions: readonly Part[], tool: string): string | null {
  const reads = actions.filter(({ act }) => act?.role === 'reads')
  const own = reads.filter(({ act }) => act?.call.tool === tool)
  const files = new Set((own.length > 0 ? own : reads).map(({ act, text }) => act?.target ?? text))
  const [file] = files
  return file !== undefined && files.size === 1 && file.length <= MAX_PATH ? file : null
}

/** Classifies a file by its extension; null for an unknown extension. */
function categoryOfFile(file: string): SurfaceCategory | null {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  const extension = extensionOf(name)
  if (MEDIA.includes(extension)) return 'binary_media'
  if (SOURCE.includes(extension)) return 'source_code_comment'
  return DATA.includes(extension) || PLAIN.includes(name.toLowerCase()) ? 'data_file' : null
}

const wordsOf = (text: string): string[] => {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (' \n\t;|&()<>"\'`='.includes(character)) {
      if (word !== '') words.push(word.split('/').at(-1) ?? '')
      word = ''
    } else word += character
  }
  if (word !== '') words.push(word.split('/').at(-1) ?? '')
  return words
}

const extensionOf = (word: string): string => (word.includes('.') ? (word.split('.').at(-1) ?? '').toLowerCase() : '')
