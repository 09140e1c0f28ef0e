// The default theme, with fixes for the accessibility problems that axe found.
import theme from 'vitepress/theme';
import './accessible.css';

export default theme;
