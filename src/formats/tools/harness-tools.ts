import { byCommand, EDITOR } from './common-tools.ts'
import { named, type ToolTable, toolSpec, toolTable } from './tool-table.ts'

const CLAUDE_HOW = 'describes description timeout run_in_background dangerouslyDisableSandbox sandbox'

/**
 * Claude Code: `sdk-tools.d.ts` of the npm package @anthropic-ai/claude-agent-sdk 0.3.330, whose input types are named after the tools
 * (`FileEditInput` is Edit's); older tools (BashOutput, KillShell, LS, MultiEdit, NotebookRead, SlashCommand) as anthropics/claude-code,
 * CHANGELOG.md, and docs.anthropic.com/en/docs/claude-code/settings name them. The provider's tools (`server_tool_use`):
 * docs.anthropic.com/en/docs/agents-and-tools/tool-use. Tools of MCP servers (`mcp__x__y`) are in no table. A skill is written elsewhere,
 * so its words do not tell its acts; Veridict has no parser for PowerShell.
 */
export const CLAUDE_CODE_TOOLS: ToolTable = {
  ...toolTable(`
  Bash | shell command; ${CLAUDE_HOW}
  PowerShell | unknown command; ${CLAUDE_HOW}
  Monitor | shell command; ${CLAUDE_HOW} timeout_ms ws
  BashOutput | reads bash_id shell_id; searches filter
  TaskOutput AgentOutputTool BashOutputTool ListMcpResourcesTool ReadMcpResourceTool ReadMcpResourceDirTool RefreshMcpTools
    CronList | reads *
  KillShell KillBash TaskStop TeamDelete CronDelete EnterWorktree ExitWorktree | executes *
  Edit MultiEdit | writes file_path new_string; removes old_string; describes replace_all | file_path
  Write | writes file_path content | file_path
  NotebookEdit | writes notebook_path new_source; describes cell_id cell_number cell_type edit_mode | notebook_path
  Read | reads file_path; describes * | file_path
  NotebookRead | reads notebook_path; describes * | notebook_path
  LS | reads path; searches ignore
  LSP | reads filePath; searches query; describes * | filePath
  Grep Glob ToolSearch | searches pattern query path glob type; describes *
  WebFetch | web url; describes prompt offset
  WebSearch web_search web_fetch | web *
  bash_code_execution | shell command; describes restart
  code_execution | code code
  Task Agent | delegates prompt; describes description subagent_type model effort run_in_background name team_name mode
    isolation resume max_turns
  SendMessage | delegates message content to recipient; describes *
  TeamCreate | delegates *
  CronCreate ScheduleWakeup | delegates prompt; describes *
  Skill SlashCommand | unknown *
  TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList EnterPlanMode | thinks *
  ReportFindings StructuredOutput ExitPlanMode AskUserQuestion PushNotification SendUserMessage | speaks *`),
  text_editor_code_execution: EDITOR,
}

/**
 * Cline and Roo Code, as XML in the agent's messages and as tool calls. Sources: cline/cline, src/core/prompts/commands.ts and
 * src/core/prompts/system-prompt/tools; RooVetGit/Roo-Code, src/core/prompts/tools. A `diff` holds SEARCH/REPLACE blocks, or a unified
 * diff: both sides in one text. The command of `attempt_completion`, which shows the result, runs for the user.
 */
export const CLINE_TOOLS: ToolTable = toolTable(`
  execute_command | shell command; describes requires_approval cwd timeout
  read_file | reads path args files; describes line_range start_line end_line | path
  write_to_file | writes content path; describes line_count | path
  replace_in_file | patch diff; writes path | path
  apply_diff | patch diff; writes path; describes start_line | path
  apply_patch | patch input patch
  insert_content | writes content path; describes line | path
  search_and_replace | writes replace path; removes search; describes use_regex ignore_case | path
  search_files | searches regex path file_pattern
  list_files | reads path; describes recursive
  list_code_definition_names | reads path
  codebase_search | searches query path
  browser_action | web url; unknown text; describes action coordinate size
  web_fetch | web url prompt
  web_search | web query
  use_mcp_tool | unknown arguments tool_name; describes server_name
  access_mcp_resource | reads uri; describes server_name
  new_task | delegates message context; describes mode; thinks todos
  use_subagents | delegates *
  ask_followup_question | speaks question options follow_up *
  plan_mode_respond act_mode_respond | speaks response *
  attempt_completion | speaks result *; shell command; thinks task_progress
  focus_chain update_todo_list | thinks *
  switch_mode | describes mode_slug reason
  fetch_instructions | reads task`)

/** Arguments for the manner and the reason of a command's run: `create_approval_parameters` and its neighbours. */
const CODEX_HOW = `describes workdir timeout_ms login shell tty yield_time_ms max_output_tokens sandbox_permissions
    with_escalated_permissions justification prefix_rule additional_permissions environment_id`

/**
 * Codex (openai/codex):
 * codex-rs/tools/src/{local_tool,apply_patch_tool,plan_tool,view_image,agent_tool,js_repl_tool,request_user_input_tool,mcp_resource_tool,tool_search,code_mode,goal_tool}.rs;
 * the items without a function's name (`local_shell_call`, `web_search_call`): codex-rs/protocol/src/models.rs; the events:
 * codex-rs/protocol/src/protocol.rs; the output of `exec --json` (`command_execution`, `file_change`, …): codex-rs/exec/src/exec_events.rs.
 * Tools of MCP servers are in no table.
 */
export const CODEX_TOOLS: ToolTable = toolTable(`
  shell container.exec | ${CODEX_HOW}; argv command
  shell_command | ${CODEX_HOW}; shell command cmd
  exec_command | ${CODEX_HOW} cwd; argv command; shell cmd
  local_shell_call | ${CODEX_HOW} type working_directory env user; argv command
  write_stdin | ${CODEX_HOW} session_id; keystrokes chars
  command_execution | shell command
  apply_patch | patch input patch unified_diff; writes content move_path changes
  file_change | writes path; describes kind; patch diff | path
  js_repl exec | javascript *
  js_repl_reset close_agent | executes *
  view_image read_file list_dir wait list_mcp_resources list_mcp_resource_templates read_mcp_resource wait_agent
    list_agents | reads *
  grep_files tool_search tool_search_call | searches *
  web_search web_search_call | web *
  spawn_agent send_input send_message assign_task followup_task resume_agent collab_tool_call |
    delegates message items prompt; describes *
  update_plan todo_list create_goal update_goal get_goal | thinks *
  request_user_input request_permissions | speaks *`)

/**
 * Cursor's agent, by the member of `tool_call`: cursor.com/docs/cli/reference/output-format (`readToolCall`, `writeToolCall`), the event
 * streams in sjarmak/agent-diagnostics, and reifying/cursor-hack, docs/stream-json-events.md. `mcpToolCall` is in no table, because the
 * acts of a server's tools are not known.
 */
export const CURSOR_TOOLS: ToolTable = toolTable(`
  shellToolCall | shell command; describes *
  writeToolCall | writes path fileText contents content; describes * | path
  editToolCall | writes path streamContent contents content newString new_string; removes oldString old_string;
    describes * | path
  applyPatchToolCall | patch patch input; describes *
  deleteToolCall | executes path; describes *
  readToolCall lsToolCall readLintsToolCall readMcpResourceToolCall listMcpResourcesToolCall getMcpToolsToolCall |
    reads path uri; describes * | path
  grepToolCall globToolCall semSearchToolCall |
    searches pattern globPattern query path glob targetDirectory targetDirectories type; describes *
  webSearchToolCall webFetchToolCall fetchToolCall | web *
  taskToolCall | delegates prompt attachments; describes *
  updateTodosToolCall readTodosToolCall | thinks *
  createPlanToolCall askQuestionToolCall | speaks *`)

/** Arguments that Gemini CLI adds where a person changed the text to write. */
const PROPOSED = 'modified_by_user ai_proposed_content'

/**
 * Gemini CLI (google-gemini/gemini-cli): packages/core/src/tools/tool-names.ts, definitions/base-declarations.ts and
 * definitions/model-family-sets/default-legacy.ts; `invoke_agent`: packages/core/src/agents/agent-tool.ts; older names
 * (`search_file_content`, `save_memory`): the same folder before 2026. Tools of MCP servers are in no table. A note of the agent to itself
 * (`save_memory`) may carry out the instruction or refuse it.
 */
export const GEMINI_CLI_TOOLS: ToolTable = toolTable(`
  run_shell_command | shell command; describes description directory dir_path is_background delay_ms additional_permissions
  list_background_processes read_background_output read_many_files list_directory get_internal_docs read_mcp_resource
    list_mcp_resources | reads *
  write_file | writes file_path content; describes ${PROPOSED} | file_path
  replace | writes file_path new_string; removes old_string; describes instruction expected_replacements allow_multiple
    ${PROPOSED} ai_proposed_string | file_path
  save_memory | unknown fact; describes scope
  read_file | reads file_path absolute_path path; describes * | file_path absolute_path path
  grep_search search_file_content glob | searches pattern query *
  google_web_search web_fetch | web *
  invoke_agent | delegates prompt; describes agent_name
  delegate_to_agent | describes agent_name; delegates *
  activate_skill | unknown *
  write_todos update_topic enter_plan_mode tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks
    tracker_add_dependency tracker_visualize | thinks *
  ask_user exit_plan_mode complete_task | speaks *`)

/** Arguments that every tool of Antigravity accepts. */
const SHOWN = 'describes toolAction toolSummary'
const ANTIGRAVITY_EDIT = `${SHOWN} Description Instruction AllowMultiple StartLine EndLine Overwrite ArtifactMetadata IsArtifact`

/** Google Antigravity, as its transcripts show the tools; the program is closed. */
export const ANTIGRAVITY_TOOLS: ToolTable = toolTable(`
  run_command | shell CommandLine; ${SHOWN} Cwd WaitMsBeforeAsync SafeToAutoRun
  send_command_input | ${SHOWN}; keystrokes Input; executes *
  write_to_file | writes TargetFile CodeContent; ${ANTIGRAVITY_EDIT} | TargetFile
  replace_file_content multi_replace_file_content | writes TargetFile ReplacementContent; removes TargetContent;
    ${ANTIGRAVITY_EDIT} | TargetFile
  view_file | reads AbsolutePath; describes * | AbsolutePath
  list_dir list_permissions command_status | ${SHOWN}; reads *
  grep_search find_by_name | ${SHOWN}; searches *
  search_web read_url_content | ${SHOWN}; web *
  invoke_subagent | ${SHOWN}; delegates *
  schedule | ${SHOWN} DurationSeconds; delegates *
  manage_task | ${SHOWN}; executes *
  ask_permission notify_user ask_question | ${SHOWN}; speaks *
  task_boundary | thinks *`)

/** Kimi Code, as its wire logs show the tools. */
export const KIMI_CODE_TOOLS: ToolTable = toolTable(`
  Bash | shell command; describes description cwd timeout run_in_background
  Read ReadMediaFile | reads path; describes * | path
  Write | writes path content; describes mode | path
  Edit | writes path new_string; removes old_string; describes replace_all | path
  Grep Glob | searches *
  TaskList TaskOutput CronList GetGoal | reads *
  TaskStop CronDelete | executes *
  CronCreate | delegates prompt; describes *
  WebSearch FetchURL | web *
  Agent | delegates prompt; describes *
  AgentSwarm | delegates *
  Skill | unknown *
  TodoList EnterPlanMode CreateGoal SetGoalBudget UpdateGoal | thinks *
  ExitPlanMode AskUserQuestion | speaks *`)

/** Factory Droid: docs.factory.ai, and observed files. */
const DROID_TOOLS: ToolTable = toolTable(`
  Execute | shell command; describes *
  Create | writes file_path content | file_path
  Edit MultiEdit | writes file_path new_str new_string; removes old_str old_string; describes change_all replace_all | file_path
  ApplyPatch | patch input patch
  Read | reads file_path; describes * | file_path
  LS Grep Glob | searches *
  WebSearch FetchUrl | web *
  Task | delegates prompt; describes *
  TodoWrite | thinks *
  AskUser ExitSpecMode | speaks *`)

/** Arguments that every tool of OpenHands accepts: the risk of the call, its purpose and the thought behind it. */
const ABOUT = 'describes security_risk summary; speaks thought'
const OPENHANDS_FILE = `${ABOUT}; writes path file_path content file_text new_str new_string; removes old_str old_string;
    describes command insert_line view_range start end expected_replacements`

/**
 * OpenHands: the actions of the application (All-Hands-AI/OpenHands, openhands/events/action and openhands/core/schema/action.py), the
 * tools of its CodeAct agent (openhands/agenthub/codeact_agent/tools), and those of OpenHands/software-agent-sdk
 * (openhands-tools/openhands/tools/[tool]/definition.py, openhands-sdk/openhands/sdk/tool/builtins). Tools of MCP servers are in no table.
 * A browser tool clicks, types or runs code: typed text may be sent, or only searched for.
 */
export const OPENHANDS_TOOLS: ToolTable = {
  ...toolTable(`
  run execute_bash terminal bash | ${ABOUT}; shell command; describes is_input timeout reset
  run_ipython execute_ipython_cell | ${ABOUT}; code code
  apply_patch | ${ABOUT}; patch patch
  read read_file list_directory | ${ABOUT}; reads path file_path dir_path; describes * | path file_path
  glob grep | ${ABOUT}; searches *
  browse web_read browser_navigate | ${ABOUT}; web url *; describes new_tab
  browse_interactive browser browser_click browser_type browser_set_storage browser_close_tab |
    ${ABOUT}; code code browser_actions; unknown text; executes *
  browser_get_state browser_get_content browser_scroll browser_go_back browser_list_tabs browser_switch_tab
    browser_get_storage browser_start_recording browser_stop_recording inspect_image_with_vision | ${ABOUT}; reads *
  delegate | ${ABOUT}; delegates inputs tasks; describes agent *
  task | ${ABOUT}; delegates prompt; describes *
  delegate_to_browsing_agent | ${ABOUT}; delegates *
  invoke_skill | ${ABOUT}; unknown *
  think task_tracker task_tracking request_condensation | thinks *
  finish reject | speaks *`),
  ...named(
    byCommand(toolSpec(OPENHANDS_FILE, 'path file_path')),
    'write edit str_replace_editor edit_file file_editor planning_file_editor write_file',
  ),
}

/**
 * SWE-agent's own tools, as function calls. Source: SWE-agent/SWE-agent, tools/<bundle>/config.yaml (search, windowed, windowed_edit_*,
 * edit_anthropic, submit, web_browser) and config/commands of 0.x. In a trajectory each tool is the first word of a shell line.
 */
export const SWE_AGENT_TOOLS: ToolTable = toolTable(`
  bash | shell command
  open | reads path; describes line_number
  goto | describes line_number
  create | writes filename | filename
  scroll_up scroll_down | describes *
  search_dir | searches search_term dir
  search_file | searches search_term file
  find_file | searches file_name dir
  edit | writes replacement_text replace; removes search; describes start_line end_line replace-all
  insert | writes text; describes line
  filemap | reads file_path
  view_image | reads image_file
  submit exit_forfeit | speaks *`)

/** Inspect (UKGovernmentBEIS/inspect_ai): src/inspect_ai/tool/_tools and src/inspect_ai/agent. A task's own tools are in no table. */
export const INSPECT_TOOLS: ToolTable = {
  ...toolTable(`
  bash | shell cmd command; describes timeout restart
  python | code code cmd
  code_execution | code code; shell command
  bash_session | describes action; keystrokes input
  read_file list_files web_browser_scroll | reads *
  grep | searches *
  web_search web_browser_go web_browser_back web_browser_forward web_browser_refresh | web *
  web_browser_click web_browser_type web_browser_type_submit | unknown text; executes *
  computer | keystrokes text; describes *
  skill | unknown *
  think update_plan todo_write | thinks *
  submit | speaks *`),
  memory: byCommand(toolSpec('describes command; reads path; writes *', 'path')),
}

/** terminus-2. Source: harbor, src/harbor/agents/terminus_2/terminus_2.py and its parsers; terminus-1: terminal-bench, terminal_bench/agents/terminus_1.py. */
export const TERMINUS_TOOLS: ToolTable = toolTable(`
  bash_command | keystrokes keystrokes; describes duration duration_sec is_blocking timeout_sec
  mark_task_complete | speaks *`)

/** The tables by the agent's name in ATIF files: the whole name, or its beginning (`terminus-2-summarization`). */
export const TABLES: readonly (readonly [string, ToolTable])[] = [
  ['claude-code', CLAUDE_CODE_TOOLS],
  ['codex', CODEX_TOOLS],
  ['gemini-cli', GEMINI_CLI_TOOLS],
  ['antigravity', ANTIGRAVITY_TOOLS],
  ['kimi-code', KIMI_CODE_TOOLS],
  ['openhands', OPENHANDS_TOOLS],
  ['cursor', CURSOR_TOOLS],
  ['terminus', TERMINUS_TOOLS],
  ['droid', DROID_TOOLS],
  ['mini-swe-agent', {}], // Its one tool is in the common table.
  ['swe-agent', SWE_AGENT_TOOLS],
  ['inspect', INSPECT_TOOLS],
  ['cline', CLINE_TOOLS],
  ['roo', CLINE_TOOLS],
]
