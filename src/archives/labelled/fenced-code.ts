/** A piece of a message: what is said, or a block of code between fences. */
export interface Piece {
  readonly text: string
  /** Of a block: the language that its fence names; null: it is said. */
  readonly code: string | null
}

const FENCE = '```'

/** Cuts a message at its fenced blocks, fences left out. A block that is not closed is said. One pass over the lines. */
export function cutFences(message: string): Piece[] {
  const pieces: Piece[] = []
  let said: string[] = []
  let block: { readonly fence: string; readonly lines: string[] } | null = null
  const flush = () => {
    if (said.some((line) => line.trim() !== '')) pieces.push({ text: said.join('\n'), code: null })
    said = []
  }
  for (const line of message.split('\n')) {
    const isFence = line.trimStart().startsWith(FENCE)
    if (block === null) {
      if (isFence) block = { fence: line, lines: [] }
      else said.push(line)
    } else if (isFence) {
      flush()
      if (block.lines.length > 0) pieces.push({ text: block.lines.join('\n'), code: languageOf(block.fence) })
      block = null
    } else block.lines.push(line)
  }
  if (block !== null) said.push(block.fence, ...block.lines)
  flush()
  return pieces
}

const languageOf = (fence: string): string => /^\w{1,20}/.exec(fence.trim().slice(FENCE.length))?.[0] ?? 'code'
