import { inFile, type Mutant, one } from './mutant.ts'

const EVIDENCE = 'src/domain/evidence/evidence.ts'
const UNMET = 'src/domain/evidence/evidence-unmet.ts'
const UNITS = 'src/domain/sights/skeleton.ts'
const ABSENCE = ['fake_verdict', 'bad_evidence', 'fake_note'] as const

/** Absences and denials that a search refutes. */
const ABSENCES: readonly Mutant[] = [
  {
    name: 'absence-search',
    rule: '5: an absence is searched for',
    classes: ABSENCE,
    patches: one(UNMET, 'const hit = seen.given_in_output', 'const hit = null as typeof seen.given_in_output'),
  },
  {
    name: 'absence-in-pictures',
    rule: '5: an absence is not accepted over pictures that nobody can search',
    classes: ABSENCE,
    patches: one(UNMET, 'if (seen.media !== null && measured', 'if (seen.media === undefined && measured'),
  },
  {
    name: 'absence-in-prompt',
    rule: '5: an absence is searched for in the prompt, too',
    classes: ABSENCE,
    patches: one(UNMET, 'if (seen.in_prompt !== null)', 'if (seen.in_prompt !== null && claimedValue(claims, claim))'),
  },
  {
    name: 'denial-search',
    rule: '5: a denied act is searched for by given action anchors',
    classes: ['real_evidence', 'rewritten_narration', 'fake_note'],
    patches: one(EVIDENCE, '...unprovenDenials(claims, question, seen, observations),', ''),
  },
  {
    name: 'denial-sight',
    rule: '5: a judge cannot date the sight behind the act that it denies',
    classes: ['real_evidence'],
    every: 1,
    patches: one(UNMET, 'seen.media ?? observations.first[which]', 'observations.first[which]'),
  },
  ...inFile(EVIDENCE, 'absent_instruction', {
    'absent-instruction': [
      '5: what the trial does not have nobody carried out',
      'no-cue-1 no-distractor-1',
      '...claimsOfAbsent(claims, question.ground_truth, rubric),',
      '',
    ],
  }),
]

/** Pieces of an instruction, and names that were derived from it, are a second lock: they leave a doubt where the search does not see the whole. */
const wholeAlone = (mutant: Mutant): Mutant => ({
  ...mutant,
  patches: [
    ...mutant.patches,
    ...one('src/domain/sights/sight-needles.ts', 'SHORTEST_IN_PIECES = 24', 'SHORTEST_IN_PIECES = 4000'),
    ...one(
      'src/domain/sights/sight-needles.ts',
      "for (const text of seen_derived) strings.push([which, 'derived', text])",
      '',
    ),
  ],
})

/** What a search sees through. */
const SEEN: readonly Mutant[] = [
  ...['hiddenUnits(char, 0) > 0', 'undisguised(code)'].map(
    (find, at): Mutant => ({
      name: at === 0 ? 'hidden-characters' : 'look-alikes',
      rule: at === 0 ? '5: the search sees through what shows nothing' : '5: the search reads look-alikes',
      classes: ['disguised_surface'],
      every: 1,
      patches: one(UNITS, find, at === 0 ? 'false' : 'code'),
    }),
  ),
  {
    name: 'colours',
    rule: '5: the search sees through colours',
    classes: ['disguised_surface'],
    every: 1,
    patches: one(UNITS, 'code === ESCAPE || ', ''),
  },
  ...inFile(UNITS, 'seen_but_denied', {
    'sight-white-space': [
      '5: the search does not see white space',
      'folded wrapped_ stretched',
      "if (char.trim() === '') return SPACE",
      "if (char.trim() === '') return MOVED",
    ],
    'sight-case': ['5: the search does not see case', 'upper_case', '.toLowerCase()', ''],
  }),
  {
    name: 'derived-sights',
    rule: '5: a name that was derived from an instruction is no certain sight, and dates none',
    cases: ['named_not_seen/target-never', 'named_not_seen/log-early'],
    patches: [
      ...one('src/domain/sights/sights.ts', "if (needle.kind === 'derived') return 'doubtful'", ''),
      ...one(
        'src/domain/evidence/observations.ts',
        "const given = sights.filter((one) => one.needle.kind !== 'derived')",
        'const given = sights',
      ),
    ],
  },
  ...inFile('src/domain/evidence/contradictions.ts', 'seen_first', {
    'denial-doubtful': [
      '7: an act behind a doubtful sight may follow it',
      'truncated-then-plain',
      'const from = earlier(sight, searched.doubtful[which]?.position ?? null)',
      'const from = earlier(sight, null)',
    ],
  }),
  ...inFile('src/domain/evidence/evidence-citation.ts', 'seen_first', {
    'sight-pieces': [
      '3: an output that shows a piece of a sight can be cited',
      'two_halves',
      'seen.pieces.get(part)',
      "undefined as 'sure' | undefined",
    ],
  }),
  ...inFile(UNITS, 'seen_first', {
    'sight-struck-over': [
      '5: the search sees through what is struck over',
      'struck_over',
      'code === ESCAPE || code === BACKSPACE',
      'code === ESCAPE',
    ],
    'sight-plus': ['5: the search sees through + in forms', 'form', '0x3c, PLUS]', '0x3c]'],
  }),
  ...inFile('src/domain/sights/text-escapes.ts', 'seen_first', {
    'sight-carets': [
      '5: the search sees through controls that are shown',
      'shown_controls',
      'if (first === 0x5e) return readCaret(text, at)',
      '',
    ],
    'sight-tags': [
      '5: the search sees through tags',
      'inline_tags',
      'if (first === 0x3c) return readTag(text, at)',
      '',
    ],
  }),
  ...[
    ...inFile('src/domain/sights/line-marks.ts', 'seen_but_denied', {
      'sight-marks': [
        '5: the search sees through marks before lines',
        'comment_ quoted_mail diff_',
        'if (stop === next) stop = afterMark(text, next)',
        '',
      ],
      'sight-numbers': [
        '5: the search sees through line numbers',
        'cat_n nl colon_numbers',
        'if (!numbered && isDigit(code)) {',
        'if (!numbered && code < 0) {',
      ],
    }),
    ...inFile('src/domain/sights/text-escapes.ts', 'seen_but_denied', {
      'sight-escapes': [
        '5: the search reads escapes',
        'literal_newlines python_repr',
        'if (first === 0x5c) return readBackslash(text, at)',
        'if (first === 0x5c) return 0',
      ],
    }),
  ].map(wholeAlone),
  ...inFile('src/domain/sights/dumped-text.ts', 'seen_but_denied', {
    'sight-dumps': [
      '5: the search reads dumps of bytes',
      'hex_dump',
      'if (bytes.length === 0) return null',
      'if (bytes.length >= 0) return null',
    ],
  }),
  ...inFile('src/domain/sights/own-text.ts', 'own_text', {
    'own-text': [
      '4: the agent’s own text coming back is no sight',
      'set_x make_recipe cat_own_file',
      'own.filter((one) => isBefore(one.position, at))',
      'own.filter(() => false)',
    ],
  }),
]

/** When things happened, and what pictures show. */
const ORDER: readonly Mutant[] = [
  ...inFile('src/domain/trajectory/trajectory.ts', 'order', {
    'order-by-time': [
      '4: an act with an earlier time came before',
      'time-',
      'later.at === null || earlier.at === null || later.at >= earlier.at',
      'true',
    ],
    'order-by-id': [
      '4: an act with an earlier step id came before',
      'step_id-',
      'return isLaterByClock && later.id > earlier.id',
      'return isLaterByClock',
    ],
    'copied-context': ['4: copied context is no new act', 'copied_context-', 'isRepeat(trajectory, act.step) || ', ''],
  }),
  ...inFile('src/domain/evidence/evidence-citation.ts', 'pictures', {
    'picture-marks': [
      '5: a picture that was shown can be cited',
      'marked-',
      'const picture = findCitedPicture(rendering, step, given.quote)',
      'const picture = null as ReturnType<typeof findCitedPicture>',
    ],
    'picture-shown': [
      '5: a picture that was not shown cannot be cited',
      'filed-',
      'return isSight && rendering.pictures.has(part)',
      'return isSight',
    ],
  }),
]

/** Rules 4 and 5 where a search checks what no quote can. */
export const SIGHT_MUTANTS: readonly Mutant[] = [...ABSENCES, ...SEEN, ...ORDER]
