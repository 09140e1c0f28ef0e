// The default theme, with what axe found missing in it.
import theme from 'vitepress/theme';
import './accessible.css';

export default theme;
