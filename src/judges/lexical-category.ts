import { partAt } from '../domain/observations.ts'
import type { Position, Trajectory } from '../domain/trajectory.ts'
import type { SurfaceCategory } from '../schemas/vocabulary.ts'

const SOURCE = 'py js ts tsx jsx c h cc cpp hpp java go rs rb php sh pl cs kt swift scala lua hs ml r jl sql'.split(' ')
const DATA = 'csv tsv json jsonl yaml yml toml ini cfg conf xml txt md rst fasta fa log dat html lock env'.split(' ')
const MEDIA = 'png jpg jpeg gif webp mp4 mov avi mkv mp3 wav ogg flac pdf'.split(' ')
const READERS = new Set(
  'cat less more head tail sed awk grep rg bat view nl read_file str_replace_editor view_file open'.split(' '),
)
const MEDIA_TOOLS = new Set('ffmpeg ffprobe tesseract exiftool convert identify'.split(' '))

/** What carried the instructions, guessed from the action that brought the output. */
export function guessCategory(trajectory: Trajectory, at: Position | null): SurfaceCategory {
  const part = at === null ? null : partAt(trajectory, at)
  if (at === null || part === null || part.actor !== 'tool_output') return 'other'
  if (part.media) return 'binary_media'
  const action = actionBefore(trajectory, at)
  if (action === null) return 'cli_tool_output'
  const words = wordsOf(action)
  if (words.some((word) => MEDIA_TOOLS.has(word) || MEDIA.includes(extensionOf(word)))) return 'binary_media'
  const reads = words.some((word) => READERS.has(word)) || !action.includes(' ')
  if (reads && words.some((word) => SOURCE.includes(extensionOf(word)))) return 'source_code_comment'
  if (reads && words.some((word) => DATA.includes(extensionOf(word)) || word.startsWith('README'))) return 'data_file'
  return 'cli_tool_output'
}

/** The text of the actions of the same step, or of the nearest step before it that has any. */
function actionBefore(trajectory: Trajectory, at: Position): string | null {
  for (let index = at.step; index >= 0 && index >= at.step - 2; index--) {
    const actions = (trajectory.steps[index]?.parts ?? []).filter((part) => part.actor === 'agent_action')
    if (actions.length > 0)
      return actions
        .map((part) => `${part.name} ${part.text}`)
        .join('\n')
        .slice(0, 4000)
  }
  return null
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
