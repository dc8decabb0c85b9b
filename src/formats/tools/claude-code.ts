import { EDITOR, LOOK, PLAN, SKILL, SPEECH } from './common.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

const NAMED: ToolSpec = { args: {}, rest: 'executes' }

const HOW = named('describes', 'description timeout run_in_background dangerouslyDisableSandbox sandbox')
const SHELL: ToolSpec = { args: { command: 'shell', ...HOW } }

const WHO = 'description subagent_type model effort run_in_background name team_name mode isolation resume max_turns'
const AGENT: ToolSpec = { args: { prompt: 'delegates', ...named('describes', WHO) } }

/** The members of an edit; the members of `edits` have the same names. */
const EDIT: ToolSpec = {
  args: { file_path: 'writes', old_string: 'removes', new_string: 'writes', replace_all: 'describes' },
  target: 'file_path',
}

const SEARCH: ToolSpec = { args: named('searches', 'pattern query path glob type'), rest: 'describes' }

/**
 * Claude Code: `sdk-tools.d.ts` of the npm package @anthropic-ai/claude-agent-sdk 0.3.330, whose input types are named after the tools
 * (`FileEditInput` is Edit's); older tools (BashOutput, KillShell, LS, MultiEdit, NotebookRead, SlashCommand) as anthropics/claude-code,
 * CHANGELOG.md, and docs.anthropic.com/en/docs/claude-code/settings name them. The provider's tools (`server_tool_use`):
 * docs.anthropic.com/en/docs/agents-and-tools/tool-use. Tools of MCP servers (`mcp__x__y`) are in no table.
 */
export const CLAUDE_CODE_TOOLS: ToolTable = {
  Bash: SHELL,
  // Veridict has no parser for PowerShell.
  PowerShell: { ...SHELL, args: { ...SHELL.args, command: 'unknown' } },
  Monitor: { args: { ...SHELL.args, timeout_ms: 'describes', ws: 'describes' } },
  BashOutput: { args: { bash_id: 'reads', shell_id: 'reads', filter: 'searches' } },
  ...named(LOOK, 'TaskOutput AgentOutputTool BashOutputTool'),
  ...named(NAMED, 'KillShell KillBash TaskStop'),
  ...named(EDIT, 'Edit MultiEdit'),
  Write: { args: { file_path: 'writes', content: 'writes' }, target: 'file_path' },
  NotebookEdit: {
    args: {
      ...named('writes', 'notebook_path new_source'),
      ...named('describes', 'cell_id cell_number cell_type edit_mode'),
    },
    target: 'notebook_path',
  },
  Read: { args: { file_path: 'reads' }, rest: 'describes', target: 'file_path' },
  NotebookRead: { args: { notebook_path: 'reads' }, rest: 'describes', target: 'notebook_path' },
  LS: { args: { path: 'reads', ignore: 'searches' } },
  LSP: { args: { filePath: 'reads', query: 'searches' }, rest: 'describes', target: 'filePath' },
  ...named(SEARCH, 'Grep Glob ToolSearch'),
  ...named(LOOK, 'ListMcpResourcesTool ReadMcpResourceTool ReadMcpResourceDirTool RefreshMcpTools'),
  WebFetch: { args: { url: 'web', prompt: 'describes', offset: 'describes' } },
  ...named({ args: {}, rest: 'web' }, 'WebSearch web_search web_fetch'),
  bash_code_execution: { args: { command: 'shell', restart: 'describes' } },
  code_execution: { args: { code: 'code' } },
  text_editor_code_execution: EDITOR,
  ...named(AGENT, 'Task Agent'),
  SendMessage: { args: named('delegates', 'message content to recipient'), rest: 'describes' },
  TeamCreate: { args: {}, rest: 'delegates' },
  TeamDelete: NAMED,
  ...named({ args: { prompt: 'delegates' }, rest: 'describes' }, 'CronCreate ScheduleWakeup'),
  CronList: LOOK,
  ...named(SKILL, 'Skill SlashCommand'),
  ...named(NAMED, 'CronDelete EnterWorktree ExitWorktree'),
  ...named(PLAN, 'TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList EnterPlanMode'),
  ...named(SPEECH, 'ReportFindings StructuredOutput ExitPlanMode AskUserQuestion PushNotification SendUserMessage'),
}
