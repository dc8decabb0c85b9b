import { type ArgumentKind, named, type ToolSpec } from './tool-table.ts'

export const FILE = ['path', 'file_path', 'filePath', 'target_file', 'filename']

/** A shell tool as most harnesses have it: the command, and how it is to be run. */
export const SHELL: ToolSpec = {
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
/** Python where no language is said. */
export const CODE: ToolSpec = {
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
export const HANDLE: ToolSpec = { args: {}, rest: 'describes' }
/** Starts what was written elsewhere: what its words then do, nobody can tell from them. */
export const SKILL: ToolSpec = { args: {}, rest: 'unknown' }

export const READ: ToolSpec = {
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
export const LIST: ToolSpec = {
  args: {
    ...named('reads', 'path dir directory dir_path relative_workspace_path target_directory'),
    ...named('describes', 'file_filtering_options recursive depth explanation'),
    ignore: 'searches',
  },
}
export const SEARCH: ToolSpec = {
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
export const WRITTEN: ToolSpec['args'] = {
  ...named('writes', 'content file_text contents path file_path filePath'),
  ...named('describes', 'mode description explanation instructions instruction'),
}
export const EDITED: ToolSpec['args'] = {
  ...named('writes', 'new_string newString new_str insert_text new after path file_path filePath'),
  ...named('removes', 'old_string oldString old_str old before'),
  ...named(
    'describes',
    `replace_all replaceAll expected_replacements allow_multiple description explanation
    instruction insert_line`,
  ),
}
export const inFile = (args: ToolSpec['args']): ToolSpec => ({ args, target: FILE })

/** Anthropic's editor, and those who took it over. */
export const EDITOR: ToolSpec = {
  args: {
    ...EDITED,
    ...named('describes', 'command view_range security_risk'),
    file_text: 'writes',
    diff: 'patch',
  },
  target: FILE,
  by: { argument: 'command', cases: { view: { path: 'reads' }, read: { path: 'reads' } } },
}
export const WEB: ToolSpec = {
  args: {
    ...named('web', 'query q search_term url urls uri prompt allowed_domains blocked_domains'),
    ...named('describes', 'explanation format timeout max_length raw start_index numResults limit include_content'),
  },
}
export const SUBAGENT: ToolSpec = {
  args: { prompt: 'delegates', task: 'delegates', goal: 'delegates', context: 'delegates', description: 'describes' },
  rest: 'delegates',
}
export const TYPED: ToolSpec = {
  args: {
    ...named('keystrokes', 'input data chars text keys'),
    ...named('describes', 'sessionId session_id shellId delay action timeout yield_time_ms max_output_tokens'),
  },
}
export const PATCH: ToolSpec = {
  args: { input: 'patch', patch: 'patch', patchText: 'patch', diff: 'patch', explanation: 'describes' },
}
