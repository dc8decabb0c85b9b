import { type ArgumentKind, named, type ToolSpec, type ToolTable } from './tool-table.ts'

const FILE = ['path', 'file_path', 'filePath', 'target_file', 'filename']

/** A shell tool as most harnesses have it: the command, and the manner of its run. */
const SHELL: ToolSpec = {
  args: {
    ...named('shell', 'command cmd commands script'),
    input: 'keystrokes',
    ...named(
      'describes',
      `description justification explanation intent title summary reason timeout timeout_ms
      timeout_sec wait initial_wait workdir working_directory cwd directory is_background background run_in_background
      async is_input security_risk mode restart reset sessionId session_id shellId pty notify_on_complete
      require_user_approval requires_approval with_escalated_permissions`,
    ),
  },
}
const CODE_IN = <const K extends ArgumentKind>(kind: K) => named(kind, 'code cell script')
/** A code tool; Python where no language is named. */
const CODE: ToolSpec = {
  args: { ...CODE_IN('code'), ...named('describes', 'language timeout description') },
  by: {
    argument: 'language',
    cases: {
      ...named({}, 'python python3 py'),
      ...named(CODE_IN('javascript'), 'javascript js node nodejs typescript ts'),
      ...named(CODE_IN('shell'), 'bash sh shell'),
    },
    otherwise: CODE_IN('unknown'),
  },
}
export const PLAN: ToolSpec = { args: {}, rest: 'thinks' }
export const SPEECH: ToolSpec = { args: {}, rest: 'speaks' }
export const LOOK: ToolSpec = { args: {}, rest: 'reads' }
const HANDLE: ToolSpec = { args: {}, rest: 'describes' }
/** Starts a skill that is written elsewhere, so its words do not tell its acts. */
export const SKILL: ToolSpec = { args: {}, rest: 'unknown' }

const READ: ToolSpec = {
  args: {
    ...named('reads', 'path file_path filePath target_file absolute_path filename file files paths uri'),
    ...named(
      'describes',
      `offset limit line_offset n_lines view_range start_line end_line startLine endLine pages
      explanation should_read_entire_file start_line_one_indexed end_line_one_indexed_inclusive`,
    ),
  },
  target: FILE,
}
const LIST: ToolSpec = {
  args: {
    ...named('reads', 'path dir directory dir_path relative_workspace_path target_directory'),
    ...named('describes', 'file_filtering_options recursive depth explanation'),
    ignore: 'searches',
  },
}
const SEARCH: ToolSpec = {
  args: {
    ...named(
      'searches',
      `pattern query regex path glob include include_pattern exclude_pattern file_pattern
      target_directories file_glob directory dir_path type`,
    ),
    ...named(
      'describes',
      `target output_mode explanation limit head_limit offset case_sensitive context max_results
      tokensNum n -A -B -C -i -n multiline include_dirs respect_git_ignore`,
    ),
  },
}
const WRITTEN: ToolSpec['args'] = {
  ...named('writes', 'content file_text contents path file_path filePath'),
  ...named('describes', 'mode description explanation instructions instruction'),
}
const EDITED: ToolSpec['args'] = {
  ...named('writes', 'new_string newString new_str insert_text new after path file_path filePath'),
  ...named('removes', 'old_string oldString old_str old before'),
  ...named(
    'describes',
    `replace_all replaceAll expected_replacements allow_multiple description explanation
    instruction insert_line`,
  ),
}
const inFile = (args: ToolSpec['args']): ToolSpec => ({ args, target: FILE })

const TEXTS_OF_EDITOR =
  'new_string newString new_str insert_text new old_string oldString old_str old before after file_text diff'
/** Returns the argument kinds of an editor's command that uses only the path, and no text. */
const editorPath = (kind: ArgumentKind): ToolSpec['args'] => ({
  ...named('describes', TEXTS_OF_EDITOR),
  ...named(kind, 'path file_path filePath'),
})
/** Commands of an editor that write nothing new: `undo_edit` restores the text from before an edit. */
export const EDITOR_LOOKS = { ...named(editorPath('reads'), 'view read'), undo_edit: editorPath('removes') }

/** Anthropic's editor, which other harnesses adopted. */
export const EDITOR: ToolSpec = {
  args: {
    ...EDITED,
    ...named('describes', 'command view_range security_risk'),
    ...{ file_text: 'writes', diff: 'patch' },
  },
  target: FILE,
  by: {
    argument: 'command',
    cases: {
      ...EDITOR_LOOKS,
      ...named(named('describes', 'old_str new_str insert_text'), 'create write'),
      str_replace: named('describes', 'file_text insert_text'),
      insert: named('describes', 'file_text old_str'),
    },
  },
}
const WEB: ToolSpec = {
  args: {
    ...named('web', 'query q search_term url urls uri prompt allowed_domains blocked_domains'),
    ...named('describes', 'explanation format timeout max_length raw start_index numResults limit include_content'),
  },
}
export const SUBAGENT: ToolSpec = {
  args: { ...named('delegates', 'prompt task goal context'), description: 'describes' },
  rest: 'delegates',
}
const TYPED: ToolSpec = {
  args: {
    ...named('keystrokes', 'input data chars text keys'),
    ...named('describes', 'sessionId session_id shellId delay action timeout yield_time_ms max_output_tokens'),
  },
}
const PATCH: ToolSpec = { args: { ...named('patch', 'input patch patchText diff'), explanation: 'describes' } }

/**
 * Tools that many harnesses share under one name, and those of harnesses without a table of their own. Sources: Anthropic's bash,
 * text-editor and web tools (docs.anthropic.com); Inspect (UKGovernmentBEIS/inspect_ai, src/inspect_ai/tool/_tools); opencode
 * (sst/opencode, packages/opencode/src/tool); qwen-code (QwenLM/qwen-code, packages/core/src/tools); kimi-cli (MoonshotAI/kimi-cli,
 * src/kimi_cli/tools); goose (block/goose, crates/goose-mcp/src/developer); hermes (NousResearch/hermes-agent, tools); Copilot's agents
 * (raymondclowe/github-copilot-agent-prompts-tools, Functions.md); tau-bench (sierra-research/tau-bench, think and calculate);
 * mini-swe-agent (SWE-agent/mini-swe-agent, src/minisweagent/models/utils/actions_toolcall.py).
 */
export const COMMON_TOOLS: ToolTable = {
  ...named(SHELL, 'bash execute_bash run_shell_command shell sh terminal run_command execute_command run_terminal_cmd'),
  ...named(SHELL, 'run_in_terminal bash_session developer__shell Shell bash_tool local_shell run exec'),
  ...named(CODE, 'python execute_ipython_cell run_ipython ipython jupyter python_exec execute_code code_interpreter'),
  ...named(CODE, 'run_python code_execution'),
  ...named(TYPED, 'write_bash process write_stdin'),
  ...named(HANDLE, 'read_bash stop_bash list_bash report_intent developer__list_windows'),
  ...named(
    SEARCH,
    `lsp grep glob grep_search search_file_content file_search rg Grep Glob search_files
    codebase_search codesearch search find semantic_search keyword_search session_search tool_search`,
  ),
  ...named(
    READ,
    'read_file read view cat ReadFile read_many_files view_file ReadMediaFile view_image get_file_content',
  ),
  ...named(LIST, 'list_directory list_dir list_files list ls tree'),
  write_file: inFile({ ...WRITTEN, append: 'describes' }),
  write: inFile({ ...WRITTEN, ...EDITED }),
  ...named(inFile(WRITTEN), 'create create_file WriteFile'),
  ...named(inFile(EDITED), 'edit replace StrReplaceFile str_replace insert search_replace'),
  edit_file: inFile({ ...EDITED, ...named('writes', 'code_edit target_file content'), instructions: 'describes' }),
  ...named(
    EDITOR,
    `str_replace_editor str_replace_based_edit_tool text_editor developer__text_editor file_editor
    editor`,
  ),
  ...{ apply_patch: PATCH, patch: { ...PATCH, args: { ...EDITED, ...PATCH.args, mode: 'describes' }, target: FILE } },
  // The call itself deletes the named file.
  delete_file: { args: { ...named('executes', 'target_file path file_path'), explanation: 'describes' } },
  ...named(WEB, 'web_search web_fetch fetch webfetch websearch SearchWeb FetchURL google_web_search web_extract'),
  ...named(WEB, 'fetch_webpage browser_navigate web_browser_go'),
  ...named(SUBAGENT, 'task Task agent Agent delegate delegate_task subagent runSubagent SendDMail spawn_agent handoff'),
  ...named(
    PLAN,
    `think Think TodoWrite TaskCreate TaskUpdate todo_write todowrite todoread todo write_todos
    update_plan todo_list task_tracker task_tracking update_todo_list update_todo set_todo_list SetTodoList
    todo__todo_write todo__todo_read manage_todo_list`,
  ),
  ...named(
    SPEECH,
    `ExitPlanMode exit_plan_mode AskUserQuestion ask_user_question clarify ask_followup_question
    ask_user question plan_mode_respond finish request_user_input submit attempt_completion complete_task
    task_complete mark_task_complete`,
  ),
}
