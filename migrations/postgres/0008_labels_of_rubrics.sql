-- Labels are those of a rubric, and no longer five.
ALTER TABLE grades DROP CONSTRAINT grades_label_check;
ALTER TABLE grades DROP CONSTRAINT grades_claimed_label_check;
ALTER TABLE reviews DROP CONSTRAINT reviews_label_check;
