/** Published data with published answers; the source stands with each. `digits` is how many decimals the source prints. */

type Given = string | number | null
const letters = (text: string): Given[] => text.split(' ').map((one) => (one === '*' ? null : one))

/** κ of two raters, from their confusion matrix. */
export const COHEN: readonly (readonly [string, number[][], number, number])[] = [
  [
    'Wikipedia, Cohen’s kappa',
    [
      [20, 5],
      [10, 15],
    ],
    0.4,
    12,
  ],
  [
    'Wikipedia, same percentages',
    [
      [45, 15],
      [25, 15],
    ],
    0.13043478260869554,
    12,
  ],
  [
    'Wikipedia, same percentages',
    [
      [25, 35],
      [5, 35],
    ],
    0.259259259259259,
    12,
  ],
  [
    'SAS, in the tests of statsmodels',
    [
      [0, 4, 1],
      [0, 8, 0],
      [0, 1, 5],
    ],
    0.4842,
    4,
  ],
  [
    'irrCAC 1.0, cont3x3abstractors',
    [
      [13, 0, 0],
      [0, 20, 7],
      [0, 4, 56],
    ],
    0.7964094,
    7,
  ],
  [
    'R package vcd, SexualFun (Agresti 1990)',
    [
      [7, 7, 2, 3],
      [2, 8, 3, 7],
      [1, 5, 4, 9],
      [2, 8, 9, 14],
    ],
    0.12933,
    5,
  ],
  [
    'Gwet’s paradox',
    [
      [118, 5],
      [2, 0],
    ],
    -0.02339181286549608,
    12,
  ],
]

/** Fleiss’ κ of counts, one row an item. */
export const WIKIPEDIA_FLEISS = [
  [0, 0, 0, 0, 14],
  [0, 2, 6, 4, 2],
  [0, 0, 3, 5, 6],
  [0, 3, 9, 2, 0],
  [2, 2, 8, 1, 1],
  [7, 7, 0, 0, 0],
  [3, 2, 6, 3, 0],
  [2, 5, 3, 2, 2],
  [6, 5, 2, 1, 0],
  [0, 2, 2, 3, 7],
]

/** Fleiss 1971, table 1: the diagnoses of 30 patients by 6 psychiatrists each, as the R package irr has them (`diagnoses`). */
const DIAGNOSES =
  '444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 ' +
  '333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555'
export const FLEISS_1971 = DIAGNOSES.split(' ').map((patient) =>
  ['1', '2', '3', '4', '5'].map((kind) => [...patient].filter((given) => given === kind).length),
)

/** irrCAC 1.0, distrib.6raters. */
export const DISTRIB_6_RATERS = [
  [0, 0, 0, 6, 0],
  [0, 3, 0, 0, 3],
  [0, 1, 4, 0, 1],
  [0, 0, 0, 0, 6],
  [0, 3, 0, 3, 0],
  [2, 0, 4, 0, 0],
  [0, 0, 4, 0, 2],
  [2, 0, 3, 1, 0],
  [2, 0, 0, 4, 0],
  [0, 0, 0, 0, 6],
  [1, 0, 0, 5, 0],
  [1, 1, 0, 4, 0],
  [0, 3, 3, 0, 0],
  [1, 0, 0, 5, 0],
  [0, 2, 0, 3, 1],
]

/** Krippendorff, "Computing Krippendorff’s Alpha-Reliability" (2011), example C; irrCAC’s cac.raw4raters is the same. */
export const KRIPPENDORFF_C: Given[][] = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
  [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null],
]

export const KRIPPENDORFF: readonly (readonly [string, Given[][], number, number])[] = [
  ['Krippendorff 2011, A', [letters('0 1 0 0 0 0 0 0 1 0'), letters('1 1 1 0 0 1 0 0 0 0')], 0.09523809523809512, 12],
  ['Krippendorff 2011, B', [letters('a a b b d c c c e d d a'), letters('b a b b b c c c e d d d')], 0.691964, 6],
  ['Krippendorff 2011, C', KRIPPENDORFF_C, 0.743421052631579, 12],
  [
    'Wikipedia, Krippendorff’s alpha',
    [
      letters('* * * * * 3 4 1 2 1 1 3 3 * 3'),
      letters('1 * 2 1 3 3 4 3 * * * * * * *'),
      letters('* * 2 1 3 4 4 * 2 1 1 3 3 * 4'),
    ],
    0.691358,
    6,
  ],
]
