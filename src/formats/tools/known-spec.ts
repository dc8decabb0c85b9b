import { cutName, type Reading } from '../common/reading.ts'
import { specOf } from './lookup.ts'
import type { ToolSpec } from './tool-table.ts'

/** The table's word on a tool; where no table knows it, a warning, once a tool: its arguments may prove an act, but not surely. */
export function knownSpec(reading: Reading, agent: string | null, tool: string, path: string): ToolSpec | undefined {
  const spec = specOf(agent, tool)
  if (spec === undefined)
    reading.warnOnce(
      path,
      `the tool ${JSON.stringify(cutName(tool))} is not known; its arguments may prove an act, with confidence low`,
    )
  return spec
}
