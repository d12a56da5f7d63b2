export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export const longNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** `Every day`, `Monday to Friday`, `Mon, Wed, Fri` */
export const formatDays = (days: readonly number[]) => {
  const text = days.toSorted().join('');
  if (text === '1234567') return 'Every day';
  if (text === '12345') return 'Monday to Friday';
  if (text === '67') return 'Saturday and Sunday';
  if (text.length === 1) return longNames[Number(text) - 1] ?? '';
  return days
    .toSorted()
    .map((day) => dayNames[day - 1])
    .join(', ');
};
