import { PLAN, SPEECH } from './common.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

const READ: ToolSpec = { args: { path: 'reads', uri: 'reads' }, rest: 'describes', target: 'path' }
const SEARCHED = 'pattern globPattern query path glob targetDirectory targetDirectories type'
const SEARCH: ToolSpec = { args: named('searches', SEARCHED), rest: 'describes' }

/**
 * Cursor's agent, by the member of `tool_call`: cursor.com/docs/cli/reference/output-format (`readToolCall`, `writeToolCall`), the event
 * streams in sjarmak/agent-diagnostics, and reifying/cursor-hack, docs/stream-json-events.md. `mcpToolCall` is in no table, because the
 * acts of a server's tools are not known.
 */
export const CURSOR_TOOLS: ToolTable = {
  shellToolCall: { args: { command: 'shell' }, rest: 'describes' },
  writeToolCall: { args: named('writes', 'path fileText contents content'), rest: 'describes', target: 'path' },
  editToolCall: {
    args: {
      ...named('writes', 'path streamContent contents content newString new_string'),
      ...named('removes', 'oldString old_string'),
    },
    ...{ rest: 'describes', target: 'path' },
  },
  applyPatchToolCall: { args: { patch: 'patch', input: 'patch' }, rest: 'describes' },
  // The call itself deletes the named file.
  deleteToolCall: { args: { path: 'executes' }, rest: 'describes' },
  ...named(READ, 'readToolCall lsToolCall readLintsToolCall readMcpResourceToolCall listMcpResourcesToolCall'),
  ...named(READ, 'getMcpToolsToolCall'),
  ...named(SEARCH, 'grepToolCall globToolCall semSearchToolCall'),
  ...named({ args: {}, rest: 'web' }, 'webSearchToolCall webFetchToolCall fetchToolCall'),
  taskToolCall: { args: { prompt: 'delegates', attachments: 'delegates' }, rest: 'describes' },
  ...named(PLAN, 'updateTodosToolCall readTodosToolCall'),
  ...named(SPEECH, 'createPlanToolCall askQuestionToolCall'),
}
