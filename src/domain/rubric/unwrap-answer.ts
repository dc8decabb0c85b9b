const THINK = '<think>'
const END_OF_THINK = '</think>'
const FENCE = '```'
const MAX_LANGUAGE = 20

/**
 * An answer without what models put around it that no provider holds to a form: one leading block of thought, then one fence of code.
 * Nothing else is taken off, and what is left is read as strictly as any answer.
 */
export const unwrapAnswer = (text: string): string => withoutFence(withoutThought(text))

function withoutThought(text: string): string {
  const answer = text.trimStart()
  if (!answer.startsWith(THINK)) return text
  const end = answer.indexOf(END_OF_THINK)
  return end === -1 ? text : answer.slice(end + END_OF_THINK.length)
}

function withoutFence(text: string): string {
  const answer = text.trim()
  const line = answer.indexOf('\n')
  const end = answer.length - FENCE.length
  if (!answer.startsWith(FENCE) || line === -1 || answer.lastIndexOf('\n') === line) return text
  const isFenced = isLanguage(answer.slice(FENCE.length, line)) && answer.slice(answer.lastIndexOf('\n') + 1) === FENCE
  return isFenced ? answer.slice(line + 1, end) : text
}

const isLanguage = (word: string): boolean => word.length <= MAX_LANGUAGE && /^[A-Za-z0-9]*\r?$/.test(word)
