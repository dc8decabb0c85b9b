import { CLINE_TOOLS } from '../tools/cline.ts'
import { Slices } from './slices.ts'
import { NAME_MARKS, sliceCall, tagEnd } from './tag-parameters.ts'
import type { TextActs } from './text-acts.ts'

/**
 * `<execute_command><command>…</command></execute_command>`. Source: cline/cline, src/core/assistant-message/parse-assistant-message.ts;
 * Roo Code took it over. Only its own tools count: any other tag is text.
 */
export const CLINE_TAGS: TextActs = {
  name: 'Cline',
  harness: 'cline',
  announced: ['<execute_command>', '<write_to_file>', '<attempt_completion>'],
  needsAnswer: false,
  split(text) {
    const slices = new Slices(text)
    for (let start = text.indexOf('<'); start !== -1 && !slices.isFull; ) {
      const open = tagEnd(text, start)
      const tool = open === -1 ? '' : text.slice(start + 1, open)
      const inner = open + 1
      const stop = Object.hasOwn(CLINE_TOOLS, tool) ? closingOf(text, tool, inner) : null
      if (stop === null) {
        start = text.indexOf('<', start + 1)
        continue
      }
      const end = Math.min(text.length, stop + tool.length + '</>'.length)
      const call = { tool, spec: CLINE_TOOLS[tool], start, end, inner: { start: inner, end: stop } }
      sliceCall(slices, text, call, NAME_MARKS)
      start = text.indexOf('<', end)
    }
    return slices.finish()
  },
}

/** Where a call ends; null where nothing of a call stands behind its tag: then it is a mention. A call that is cut off reaches to the end. */
function closingOf(text: string, tool: string, inner: number): number | null {
  if (text.slice(inner, inner + MAX_GAP).trimStart()[0] !== '<') return null
  const stop = text.indexOf(`</${tool}>`, inner)
  return stop === -1 ? text.length : stop
}

const MAX_GAP = 20
