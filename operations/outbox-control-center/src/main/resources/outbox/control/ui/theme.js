// Light or dark: what the person chose, else what the system says.
const KEY = 'outbox.theme';

export const theme = () => localStorage.getItem(KEY) ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
const show = () => { document.documentElement.dataset.theme = theme(); };

export function toggleTheme() {
  localStorage.setItem(KEY, theme() === 'dark' ? 'light' : 'dark');
  show();
}

show();
