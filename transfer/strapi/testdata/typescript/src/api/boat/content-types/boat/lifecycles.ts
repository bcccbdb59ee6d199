export default {
  beforeCreate(event) {
    event.params.data.name = event.params.data.name.trim();
  },
};
