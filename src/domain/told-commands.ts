import { ascending, readLine } from './shell-line.ts'

/**
 * Where an action’s text only looks or tells: comments, the arguments of commands like `cat` and `echo` whose output goes nowhere, and
 * here-documents given to them. A reading of shell lines that is right for what agents write and, where it is not, takes a string for done.
 * @NOTE: quotes end with their line, so what an `echo` prints over several lines reads as commands.
 */

/** Answers for ascending places only; all of them together are linear. */
export interface CommandReader {
  /** Where the telling that holds `at` ends; null: the text at `at` does something. */
  toldUntil(at: number): number | null
}

export function createCommandReader(text: string): CommandReader {
  const bodies = bodiesOf(text)
  const kept = ascending(bodies.kept)
  const toldIn = ascending(bodies.told)
  let end = -1
  let told = ascending([])
  return {
    toldUntil(at) {
      if (kept(at) !== null) return null
      const body = toldIn(at)
      if (body !== null) return body
      if (at >= end) {
        const line = readLine(text, lineStart(text, at))
        end = line.end
        told = ascending(line.told)
      }
      return told(at)
    },
  }
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/**
 * The bodies of here-documents that nothing does anything with, and of those that are written somewhere: no comment in them is one of
 * the shell. The others are commands. One without an end ends the reading of them.
 */
function bodiesOf(text: string): { told: number[]; kept: number[] } {
  const bodies: { told: number[]; kept: number[] } = { told: [], kept: [] }
  for (let at = text.indexOf('<<'); at !== -1; ) {
    const line = readLine(text, lineStart(text, at))
    let next = line.end
    if (line.heredoc !== null) {
      next = endOfBody(text, line.end, line.heredoc.word)
      if (next === -1) return bodies
      if (line.heredoc.use !== 'run') bodies[line.heredoc.use].push(line.end, next)
    }
    at = text.indexOf('<<', next)
  }
  return bodies
}

/** Behind the line that is the word alone; -1: there is none. */
function endOfBody(text: string, from: number, word: string): number {
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + word.length)) {
    let before = at - 1
    while (before > from && text[before] === '\t') before--
    const after = text[at + word.length]
    if (text[before] === '\n' && (after === undefined || after === '\n' || after === '\r')) return at + word.length
  }
  return -1
}
