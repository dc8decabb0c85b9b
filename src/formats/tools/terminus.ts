import type { ToolTable } from './tool-table.ts'

/** terminus-2. Source: harbor, src/harbor/agents/terminus_2/terminus_2.py and its parsers; terminus-1: terminal-bench, terminal_bench/agents/terminus_1.py. */
export const TERMINUS_TOOLS: ToolTable = {
  bash_command: {
    args: {
      keystrokes: 'keystrokes',
      duration: 'describes',
      duration_sec: 'describes',
      is_blocking: 'describes',
      timeout_sec: 'describes',
    },
  },
  mark_task_complete: { args: {}, rest: 'speaks' },
}
